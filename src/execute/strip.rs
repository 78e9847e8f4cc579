//! Makes a script of what the interpreter could not parse: TypeScript's annotations become spaces, and a program with
//! `return` at its top level becomes the body of a function. Lines and columns stay, or can be mapped back.
//!
//! A program that is plain JavaScript without a top-level `return` never comes here.

use std::collections::HashMap;

use oxc_allocator::Allocator;
use oxc_ast::ast;
use oxc_ast_visit::Visit;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType, Span};

use super::{erase::Eraser, limits::PARSE_STACK_BYTES};

/// Bytes of source that are parsed here. The parser recurses with its input and we give it the stack for it, so the
/// bound is a bound on that stack.
pub const TYPESCRIPT_BYTES: usize = 128 << 10;

/// Bytes of stack the parser and the visitor take for one byte of source at worst, measured on chains of prefix
/// operators, brackets, arrows and conditionals (the test below holds it).
const STACK_PER_BYTE: usize = if cfg!(debug_assertions) { 16 << 10 } else { 2 << 10 };

/// A script ready for the interpreter.
#[derive(Debug, PartialEq, Eq)]
pub struct Script {
    /// Its source; empty for a program that the interpreter took as it is, unless places in it must be counted anew.
    pub code: String,
    /// Whether its value is the promise of a function that wraps the program.
    pub wrapped: bool,
    /// What was put in, as (line, column before which it stands, characters), in order; 1-based, of the program.
    inserted: Vec<(u32, u32, u32)>,
}

/// Why a program is not one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxFault {
    /// What the parser says.
    pub message: String,
    /// 1-based, of the program.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    /// What to write instead, where that is known.
    pub suggestion: Option<String>,
}

impl Script {
    /// A program that the interpreter takes as it is.
    pub(crate) fn verbatim(program: &str) -> Self {
        let code = if program.is_ascii() { String::new() } else { program.to_owned() };
        Self { code, wrapped: false, inserted: Vec::new() }
    }

    /// The place in the program, in characters, of a place in the script, for which the interpreter counts bytes.
    #[must_use]
    pub fn position(&self, line: u32, column: u32) -> (u32, u32) {
        let column = self.characters(line, column);
        let mut shift = 0;
        for &(at, before, length) in &self.inserted {
            if at == line && before + shift < column {
                shift += length.min(column - before - shift);
            }
        }
        (line, column - shift)
    }

    fn characters(&self, line: u32, column: u32) -> u32 {
        // A program may have written the place itself, so that it can be any.
        let text = self.code.split('\n').nth((line as usize).saturating_sub(1)).unwrap_or_default();
        let ahead = &text[..text.floor_char_boundary((column as usize).saturating_sub(1))];
        let wide = ahead.len() - ahead.chars().count();
        column - u32::try_from(wide).unwrap_or_default()
    }
}

/// Parses `source` as TypeScript and removes what is not JavaScript.
pub fn strip(source: &str) -> Result<Script, SyntaxFault> {
    if source.len() > TYPESCRIPT_BYTES {
        return Err(SyntaxFault {
            message: format!(
                "the program is no JavaScript, and at {} bytes too long to be read as TypeScript",
                source.len()
            ),
            line: 1,
            column: 1,
            suggestion: Some(format!("write plain JavaScript, or at most {TYPESCRIPT_BYTES} bytes of TypeScript")),
        });
    }
    // A program of a model is a few levels deep; one that is nothing but brackets needs a stack as large as itself.
    let stack = source.len() * STACK_PER_BYTE;
    if stack <= PARSE_STACK_BYTES && stacker::remaining_stack().is_some_and(|left| left > stack + (256 << 10)) {
        return parse(source);
    }
    stacker::grow((1 << 20) + stack, || parse(source))
}

fn parse(source: &str) -> Result<Script, SyntaxFault> {
    let allocator = Allocator::default();
    // As a module, so that `await` stands at the top level.
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, source, SourceType::ts().with_module(true)).with_options(options).parse();
    if let Some(diagnostic) = parsed.diagnostics.iter().next() {
        let offset = diagnostic.labels.first().map_or(0, |label| label.offset() as usize);
        let message = diagnostic.message.to_string();
        let suggestion = diagnostic.help.as_ref().map(ToString::to_string);
        return Err(fault(source, offset, message, suggestion));
    }
    let mut eraser = Eraser::new(source);
    eraser.visit_program(&parsed.program);
    if let Some((offset, message, suggestion)) = eraser.fault {
        return Err(fault(source, offset, message, Some(suggestion.to_owned())));
    }
    let mut insertions = Vec::new();
    if eraser.returns {
        insertions.push((0, "(async () => {"));
        if let Some(last) = parsed.program.body.last() {
            completion(last, &mut insertions);
        }
        insertions.sort_by_key(|&(offset, _)| offset);
    }
    Ok(written(source, &eraser.blanks, &eraser.put, &insertions, eraser.returns))
}

/// What the interpreter is never given.
pub(crate) fn null_character(source: &str, offset: usize) -> SyntaxFault {
    fault(source, offset, "the program holds a null character".into(), Some("write `\\0` in its place".into()))
}

fn fault(source: &str, offset: usize, message: String, suggestion: Option<String>) -> SyntaxFault {
    let (line, column) = place(source, offset);
    SyntaxFault { message, line, column, suggestion }
}

/// Line and column of a byte, both 1-based.
fn place(source: &str, offset: usize) -> (u32, u32) {
    let before = source.get(..offset).unwrap_or(source);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

/// A last statement's value is returned, as a script would give it.
fn completion(statement: &ast::Statement<'_>, insertions: &mut Vec<(usize, &'static str)>) {
    match statement {
        ast::Statement::ExpressionStatement(statement) => {
            let span = statement.expression.span();
            insertions.push((span.start as usize, "return ("));
            insertions.push((span.end as usize, ")"));
        }
        ast::Statement::BlockStatement(block) => {
            if let Some(last) = block.body.last() {
                completion(last, insertions);
            }
        }
        ast::Statement::IfStatement(branch) => {
            completion(&branch.consequent, insertions);
            if let Some(alternate) = &branch.alternate {
                completion(alternate, insertions);
            }
        }
        ast::Statement::TryStatement(attempt) => {
            for body in
                std::iter::once(&attempt.block.body).chain(attempt.handler.iter().map(|handler| &handler.body.body))
            {
                if let Some(last) = body.last() {
                    completion(last, insertions);
                }
            }
        }
        _ => {}
    }
}

fn written(
    source: &str,
    blanks: &[Span],
    put: &HashMap<usize, char>,
    insertions: &[(usize, &'static str)],
    wrapped: bool,
) -> Script {
    let mut blank = vec![false; source.len()];
    for span in blanks {
        blank[span.start as usize..span.end as usize].fill(true);
    }
    let mut code = String::with_capacity(source.len() + 64);
    let mut inserted = Vec::new();
    let mut pending = insertions.iter().peekable();
    let (mut line, mut column) = (1_u32, 1_u32);
    let mut insert = |code: &mut String, at: usize, line: u32, column: u32| {
        while let Some((_, text)) = pending.next_if(|(offset, _)| *offset <= at) {
            code.push_str(text);
            inserted.push((line, column, u32::try_from(text.len()).unwrap_or(u32::MAX)));
        }
    };
    for (offset, character) in source.char_indices() {
        insert(&mut code, offset, line, column);
        let kept = !blank[offset] || matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}');
        code.push(put.get(&offset).copied().unwrap_or(if kept { character } else { ' ' }));
        if character == '\n' {
            (line, column) = (line + 1, 1);
        } else {
            column += 1;
        }
    }
    insert(&mut code, source.len(), line, column);
    if wrapped {
        code.push_str("\n})()");
    }
    Script { code, wrapped, inserted }
}

#[cfg(test)]
#[path = "strip_tests.rs"]
mod tests;
