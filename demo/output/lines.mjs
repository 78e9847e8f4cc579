// One JSON object a line, for programs.

/** @param {(text: string) => void} write */
export const printer = (write) => ({
  event: (event) => write(`${JSON.stringify(event)}\n`),
  end: (result) => write(`${JSON.stringify(result)}\n`),
});
