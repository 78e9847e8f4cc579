//! One program in one fresh context. It is run in slices: until it ends, or until it waits for calls.

use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use rquickjs::{
    CatchResultExt, CaughtError, Context, Ctx, Function, Module, Object, Persistent, Promise, Runtime, Value,
    context::EvalOptions, module::WriteOptions, promise::PromiseState,
};

use super::{
    bridge::{Bridge, Control, Reply, Stop},
    heap::{Heap, Usage},
    limits::{SOURCE_BYTES, STACK_BYTES},
    outcome::{FILE, Failure, FailureKind, Thrown, place},
    strip::{Script, SyntaxFault, null_character, strip},
};

/// The prelude as the interpreter's own code, since every context evaluates it.
static PRELUDE: LazyLock<Option<Vec<u8>>> = LazyLock::new(|| {
    let runtime = Runtime::new().ok()?;
    let context = Context::full(&runtime).ok()?;
    context.with(|ctx| {
        Module::declare(ctx, "prelude", include_str!("prelude.js")).ok()?.write(WriteOptions::default()).ok()
    })
});

/// What a slice came to.
pub(crate) enum Slice {
    /// It waits for calls that the host has or will have.
    Waiting,
    /// It is over: its value as JSON text (none is `undefined`), or why there is none.
    Ended(Result<Option<String>, Failure>),
}

/// What the prelude handed back, and what the program's script came to.
struct Program {
    conclude: Persistent<Function<'static>>,
    settle: Persistent<Function<'static>>,
    explain: Persistent<Function<'static>>,
    /// None until it has started.
    outcome: Option<Persistent<Promise<'static>>>,
}

/// The interpreter's stack, from within an interrupt.
struct Stack(*mut rquickjs::qjs::JSRuntime);

// SAFETY: the pointer is used by the interrupt handler alone, which the runtime calls on the thread that has it.
unsafe impl Send for Stack {}

impl Stack {
    /// From now on no function can be called. A program that hides in async functions or executors turns even an
    /// interrupt into a rejection and goes on; without calls it comes to a loop of its own, where the next one ends it.
    fn close(&self) {
        // SAFETY: the runtime calls its interrupt handler, so it is alive, and reads this limit at each call.
        unsafe { rquickjs::qjs::JS_SetMaxStackSize(self.0, 1) }
    }
}

/// A context of its own for one program, and its heap.
pub(crate) struct Sandbox {
    // Declared first, so that it goes before the heap it points into.
    program: Option<Program>,
    context: Context,
    runtime: Runtime,
    heap: Arc<Usage>,
    script: Script,
    control: Arc<Control>,
    pub(crate) bridge: Arc<Mutex<Bridge>>,
}

// SAFETY: `parallel` makes the context and runtime `Send`; the persistent values are of that same runtime, are private,
// and are touched only within `Context::with` by the one thread that owns the sandbox.
unsafe impl Send for Sandbox {}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let program = self.program.take();
        self.context.with(|_| drop(program));
        self.runtime.set_interrupt_handler(None);
    }
}

impl Sandbox {
    /// A fresh context in which no program has run. It is for one program, whichever comes.
    pub(crate) fn new() -> Result<Self, Failure> {
        let broken = |error| Failure::new(FailureKind::Internal, format!("no interpreter could be made: {error}"));
        let heap = Usage::unlimited();
        let runtime = Runtime::new_with_alloc(Heap(Arc::clone(&heap))).map_err(broken)?;
        runtime.set_max_stack_size(STACK_BYTES);
        let context = Context::full(&runtime).map_err(broken)?;
        let bridge = Arc::new(Mutex::new(Bridge::default()));
        let program = context.with(|ctx| install(&ctx, &bridge)).map_err(|error| {
            Failure::new(FailureKind::Internal, format!("the prelude failed: {error}; please report it"))
        })?;
        let (script, control) = (Script::verbatim(""), Arc::default());
        Ok(Self { program: Some(program), context, runtime, heap, script, control, bridge })
    }

    /// Compiles and starts the program, and runs its first slice.
    pub(crate) fn start(&mut self, code: &str, bridge: Bridge, control: &Arc<Control>) -> Slice {
        let limit = bridge.limits().memory_bytes;
        *self.bridge.lock() = bridge;
        self.control = Arc::clone(control);
        if let Some(offset) = code.find('\0') {
            return Slice::Ended(Err(Failure::syntax(null_character(code, offset), code)));
        }
        if code.len() > SOURCE_BYTES {
            let message = format!("the program is {} bytes long; the most is {SOURCE_BYTES}", code.len());
            return Slice::Ended(Err(Failure::new(FailureKind::Limit, message)));
        }
        let watched = Arc::clone(control);
        let stack = Stack(self.context.get_runtime_ptr());
        self.runtime.set_interrupt_handler(Some(Box::new(move || {
            let stops = watched.reason() != Stop::None;
            if stops {
                stack.close();
            }
            stops
        })));
        // From here on the program's own limit holds; the interpreter's own objects are within it.
        self.heap.limit_to(limit);
        let context = self.context.clone();
        match context.with(|ctx| self.compile(&ctx, code)) {
            Ok(()) => self.resume(Vec::new()),
            Err(failure) => Slice::Ended(Err(self.stopped().unwrap_or(failure))),
        }
    }

    fn compile<'js>(&mut self, ctx: &Ctx<'js>, code: &str) -> Result<(), Failure> {
        let plain = if generic_call(code) { Err(None) } else { evaluate(ctx, code, &self.heap).map_err(Some) };
        let promise = match plain {
            Ok(promise) => {
                self.script = Script::verbatim(code);
                promise
            }
            Err(fault) => {
                let script = strip(code).map_err(|fault| Failure::syntax(fault, code));
                self.script = match (script, fault) {
                    (Ok(script), _) => script,
                    // The interpreter ran out of something, and no parser can help.
                    (Err(_), Some(Refused::Other(failure))) | (Err(failure), _) => {
                        return Err(failure);
                    }
                };
                evaluate(ctx, &self.script.code, &self.heap).map_err(|refused| match refused {
                    Refused::Syntax(mut fault) => {
                        (fault.line, fault.column) = self.script.position(fault.line, fault.column);
                        Failure::syntax(fault, code)
                    }
                    Refused::Other(failure) => failure,
                })?
            }
        };
        let Some(program) = &mut self.program else { return Err(never_started()) };
        let conclude = program.conclude.clone().restore(ctx);
        match conclude.and_then(|conclude| conclude.call::<_, Promise<'js>>((promise,))) {
            Ok(outcome) => program.outcome = Some(Persistent::save(ctx, outcome)),
            Err(error) => return Err(self.failure(ctx, error, None)),
        }
        Ok(())
    }

    /// Hands over what the host answered and runs until the program ends or waits.
    pub(crate) fn resume(&self, replies: Vec<Reply>) -> Slice {
        self.context.with(|ctx| {
            let Some(Program { settle, explain, outcome: Some(outcome), .. }) = &self.program else {
                return Slice::Ended(Err(never_started()));
            };
            let restored = settle
                .clone()
                .restore(&ctx)
                .and_then(|settle| Ok((settle, explain.clone().restore(&ctx)?, outcome.clone().restore(&ctx)?)));
            let (settle, explain, outcome) = match restored {
                Ok(restored) => restored,
                Err(error) => return Slice::Ended(Err(self.failure(&ctx, error, None))),
            };
            for Reply { call, kind, text } in replies {
                if self.control.reason() != Stop::None {
                    break;
                }
                if !self.bridge.lock().answered(call, text.len()) {
                    continue;
                }
                if let Err(error) = settle.call::<_, ()>((call, kind, text)) {
                    // A reply that does not fit in the program's memory leaves its call open for ever.
                    return Slice::Ended(Err(self
                        .stopped()
                        .unwrap_or_else(|| self.failure(&ctx, error, Some(&explain)))));
                }
                while self.control.reason() == Stop::None && ctx.execute_pending_job() {}
            }
            while self.control.reason() == Stop::None && ctx.execute_pending_job() {}
            self.slice(&ctx, &outcome, &explain)
        })
    }

    fn slice<'js>(&self, ctx: &Ctx<'js>, outcome: &Promise<'js>, explain: &Function<'js>) -> Slice {
        if let Some(failure) = self.stopped() {
            return Slice::Ended(Err(failure));
        }
        match outcome.state() {
            // An engine without memory drops what it was about to do.
            PromiseState::Pending if self.heap.refused() && self.bridge.lock().open.is_empty() => {
                Slice::Ended(Err(Failure::memory(self.bridge.lock().limits())))
            }
            PromiseState::Pending if self.bridge.lock().open.is_empty() => Slice::Ended(Err(Failure::new(
                FailureKind::Program,
                "the program waits for a promise that nothing can settle",
            )
            .suggesting("only calls take time here: `await` a call, or resolve the promise yourself"))),
            PromiseState::Pending => Slice::Waiting,
            PromiseState::Resolved => Slice::Ended(match outcome.result::<Value<'js>>() {
                Some(Ok(value)) => text(&value).map_err(|error| self.failure(ctx, error, Some(explain))),
                Some(Err(error)) => Err(self.failure(ctx, error, Some(explain))),
                None => Ok(None),
            }),
            PromiseState::Rejected => {
                let error = outcome.result::<Value<'js>>().and_then(Result::err).unwrap_or(rquickjs::Error::Exception);
                let failure = self.failure(ctx, error, Some(explain));
                Slice::Ended(Err(self.stopped().unwrap_or(failure)))
            }
        }
    }

    /// The end that a limit or the host has put to it.
    pub(crate) fn stopped(&self) -> Option<Failure> {
        let bridge = self.bridge.lock();
        let limits = bridge.limits();
        match self.control.reason() {
            Stop::None => None,
            Stop::Time | Stop::Ended => {
                let mut failure = Failure::new(
                    FailureKind::Timeout,
                    format!("the program took more than {} ms", limits.time.as_millis()),
                );
                if let Some((_, call)) = bridge.open.first_key_value().filter(|_| bridge.open.len() == 1) {
                    failure = failure.suggesting(format!("`{}` had not answered", call.written));
                }
                Some(failure)
            }
            Stop::Calls => Some(Failure::new(
                FailureKind::Limit,
                format!("the program made more than {} calls", limits.tool_calls),
            )),
        }
    }

    /// Says what was thrown; without the prelude's word, the bare message.
    fn failure<'js>(&self, ctx: &Ctx<'js>, error: rquickjs::Error, explain: Option<&Function<'js>>) -> Failure {
        let value = match error {
            rquickjs::Error::Exception => ctx.catch(),
            error => {
                return Failure::new(FailureKind::Internal, format!("{error}; please report it"));
            }
        };
        let told = explain.and_then(|explain| explain.call::<_, String>((value.clone(),)).ok());
        let thrown = told.and_then(|told| serde_json::from_str::<Thrown>(&told).ok()).unwrap_or_else(|| {
            drop(ctx.catch());
            bare(&value)
        });
        // Where not even an error fits any more, what is thrown is `null`.
        let exhausted = self.heap.refused() && (value.is_null() || thrown.message == "out of memory");
        Failure::thrown(thrown, exhausted, &self.script, &self.bridge.lock())
    }
}

fn never_started() -> Failure {
    Failure::new(FailureKind::Internal, "the program was never started; please report it")
}

/// What can be said of a thrown value without running any of the program's code.
fn bare(value: &Value<'_>) -> Thrown {
    match value.as_exception() {
        Some(exception) => Thrown {
            name: exception.as_object().get("name").ok(),
            message: exception.message().unwrap_or_default(),
            stack: exception.stack(),
            suggestions: None,
        },
        None => Thrown { message: "uncaught value".into(), ..Thrown::default() },
    }
}

enum Refused {
    Syntax(SyntaxFault),
    Other(Failure),
}

/// Starts a script; what it refuses, it refuses before anything ran.
fn evaluate<'js>(ctx: &Ctx<'js>, code: &str, heap: &Usage) -> Result<Promise<'js>, Refused> {
    let mut options = EvalOptions::default();
    (options.strict, options.promise, options.filename) = (false, true, Some(FILE.into()));
    ctx.eval_with_options::<Promise<'js>, _>(code, options).catch(ctx).map_err(|error| match error {
        CaughtError::Exception(exception) => {
            let thrown = bare(exception.as_value());
            let (line, column) = thrown.stack.as_deref().and_then(place).unwrap_or((1, 1));
            if thrown.name.as_deref() == Some("SyntaxError") {
                Refused::Syntax(SyntaxFault { message: thrown.message, line, column, suggestion: None })
            } else if heap.refused() {
                Refused::Other(Failure::new(FailureKind::Memory, "the program does not fit in its memory"))
            } else {
                Refused::Other(Failure::new(FailureKind::Syntax, thrown.message))
            }
        }
        other => Refused::Other(Failure::new(FailureKind::Internal, other.to_string())),
    })
}

/// Whether a call with type arguments, `f<T>(…)`, may be in `code`: as JavaScript that is two comparisons.
fn generic_call(code: &str) -> bool {
    code.match_indices(">(").any(|(end, _)| {
        code[..end].rfind('<').is_some_and(|start| {
            let inside = &code[start + 1..end];
            let before = code[..start].chars().next_back();
            before.is_some_and(|character| character.is_alphanumeric() || character == '_')
                && inside.starts_with(|character: char| character.is_alphabetic() || "{[('\"".contains(character))
                && !inside.contains(';')
        })
    })
}

/// Gives the context its globals.
fn install<'js>(ctx: &Ctx<'js>, bridge: &Arc<Mutex<Bridge>>) -> rquickjs::Result<Program> {
    let module = match PRELUDE.as_deref() {
        // SAFETY: the bytes were written by this same build of the interpreter, from our own source.
        Some(bytes) => unsafe { Module::load(ctx.clone(), bytes)? },
        None => Module::declare(ctx.clone(), "prelude", include_str!("prelude.js"))?,
    };
    let (module, _) = module.eval()?;
    let make: Function<'js> = module.get("default")?;
    let host = Object::new(ctx.clone())?;
    let shared = Arc::clone(bridge);
    host.set(
        "call",
        Function::new(ctx.clone(), move |id: u32, kind: String, path: Vec<String>, input: Option<String>| {
            shared.lock().call(id, &kind, &path, input).map(Vec::from)
        }),
    )?;
    let shared = Arc::clone(bridge);
    host.set("log", Function::new(ctx.clone(), move |line: String| shared.lock().log(line)))?;
    let shared = Arc::clone(bridge);
    host.set("full", Function::new(ctx.clone(), move || shared.lock().full()))?;
    let shared = Arc::clone(bridge);
    host.set("hint", Function::new(ctx.clone(), move || shared.lock().returned_function = true))?;
    let shared = Arc::clone(bridge);
    host.set(
        "has",
        Function::new(ctx.clone(), move |path: Vec<String>, key: String| {
            let listing = shared.lock().listing();
            listing.has(&path, &key)
        }),
    )?;
    let shared = Arc::clone(bridge);
    host.set(
        "keys",
        Function::new(ctx.clone(), move |path: Vec<String>| -> Vec<String> {
            let listing = shared.lock().listing();
            listing.keys(&path).into_iter().map(str::to_owned).collect()
        }),
    )?;
    let hooks: Object<'js> = make.call((host,))?;
    let hook = |name| Ok::<_, rquickjs::Error>(Persistent::save(ctx, hooks.get::<_, Function<'js>>(name)?));
    Ok(Program { conclude: hook("conclude")?, settle: hook("settle")?, explain: hook("explain")?, outcome: None })
}

fn text(value: &Value<'_>) -> rquickjs::Result<Option<String>> {
    value.as_string().map(rquickjs::String::to_string).transpose()
}

#[cfg(test)]
#[path = "sandbox_tests.rs"]
mod tests;
