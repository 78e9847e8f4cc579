const LINE_FEED = 10;

/** Lines of UTF-8 out of chunks that are cut anywhere. Linear in what it takes, however long a line is. */
export class Lines {
  #partial: Buffer[] = [];

  /** The lines that are whole with this chunk, which may be overwritten afterwards. */
  take(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to >= 0; from = to + 1, to = chunk.indexOf(LINE_FEED, from)) {
      if (this.#partial.length === 0) {
        lines.push(chunk.toString("utf8", from, to));
      } else {
        lines.push(Buffer.concat([...this.#partial, chunk.subarray(from, to)]).toString());
        this.#partial = [];
      }
    }
    if (from < chunk.length) this.#partial.push(Buffer.from(chunk.subarray(from)));
    return lines;
  }
}
