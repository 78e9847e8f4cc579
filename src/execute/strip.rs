//! Makes a script of what the interpreter could not parse: TypeScript's annotations become spaces, and a program with
//! `return` at its top level becomes the body of a function. Lines and columns stay, or can be mapped back.
//!
//! A program that is plain JavaScript without a top-level `return` never comes here.

use std::collections::HashMap;

use oxc_allocator::Allocator;
use oxc_ast::ast;
use oxc_ast_visit::{Visit, walk};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType, Span};
use oxc_syntax::scope::ScopeFlags;

use super::limits::PARSE_STACK_BYTES;

/// Bytes of source that are parsed here. The parser recurses with its input and we give it the stack for it, so the
/// bound is a bound on that stack.
pub const TYPESCRIPT_BYTES: usize = 128 << 10;

/// Bytes of stack the parser and the visitor take for one byte of source at worst, measured on chains of prefix
/// operators, brackets, arrows and conditionals (the test below holds it).
const STACK_PER_BYTE: usize = if cfg!(debug_assertions) { 16 << 10 } else { 2 << 10 };

/// A script ready for the interpreter.
#[derive(Debug, PartialEq, Eq)]
pub struct Script {
    /// Its source.
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
    /// The program itself, where the interpreter took it as it is.
    pub(crate) const fn verbatim() -> Self {
        Self { code: String::new(), wrapped: false, inserted: Vec::new() }
    }

    /// The place in the program of a place in the script.
    #[must_use]
    pub fn position(&self, line: u32, column: u32) -> (u32, u32) {
        let mut shift = 0;
        for &(at, before, length) in &self.inserted {
            if at == line && before + shift < column {
                shift += length.min(column - before - shift);
            }
        }
        (line, column - shift)
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
            suggestion: Some(format!(
                "write plain JavaScript, or at most {TYPESCRIPT_BYTES} bytes of TypeScript"
            )),
        });
    }
    // A program of a model is a few levels deep; one that is nothing but brackets needs a stack as large as itself.
    let stack = source.len() * STACK_PER_BYTE;
    if stack <= PARSE_STACK_BYTES
        && stacker::remaining_stack().is_some_and(|left| left > stack + (256 << 10))
    {
        return parse(source);
    }
    stacker::grow((1 << 20) + stack, || parse(source))
}

fn parse(source: &str) -> Result<Script, SyntaxFault> {
    let allocator = Allocator::default();
    // As a module, so that `await` stands at the top level.
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, source, SourceType::ts().with_module(true))
        .with_options(options)
        .parse();
    if let Some(diagnostic) = parsed.diagnostics.iter().next() {
        let offset = diagnostic.labels.first().map_or(0, |label| label.offset() as usize);
        let message = diagnostic.message.to_string();
        let suggestion = diagnostic.help.as_ref().map(ToString::to_string);
        return Err(fault(source, offset, message, suggestion));
    }
    let mut eraser = Eraser {
        source,
        blanks: Vec::new(),
        put: HashMap::new(),
        functions: 0,
        returns: false,
        fault: None,
    };
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
    fault(
        source,
        offset,
        "the program holds a null character".into(),
        Some("write `\\0` in its place".into()),
    )
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
            for body in std::iter::once(&attempt.block.body)
                .chain(attempt.handler.iter().map(|handler| &handler.body.body))
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

/// Collects what must go.
struct Eraser<'s> {
    source: &'s str,
    blanks: Vec<Span>,
    put: HashMap<usize, char>,
    functions: usize,
    returns: bool,
    fault: Option<(usize, String, &'static str)>,
}

impl Eraser<'_> {
    fn erase(&mut self, start: u32, end: u32) {
        self.blanks.push(Span::new(start, end));
    }

    /// Erases a whole statement or class element; the semicolon keeps the line before it from running on.
    fn erase_element(&mut self, span: Span) {
        self.erase(span.start, span.end);
        self.put.insert(span.start as usize, ';');
    }

    fn refuse(&mut self, span: Span, message: impl Into<String>, suggestion: &'static str) {
        self.fault.get_or_insert((span.start as usize, message.into(), suggestion));
    }

    /// Erases the mark that stands next after `from`, white space and `]` of a computed key aside.
    fn erase_mark(&mut self, from: u32, mark: char) {
        let rest = &self.source[from as usize..];
        if let Some(offset) =
            rest.find(|character: char| !character.is_whitespace() && character != ']')
            && rest[offset..].starts_with(mark)
        {
            let at = from + u32::try_from(offset).unwrap_or_default();
            self.erase(at, at + 1);
        }
    }

    /// Erases modifiers between the start of a class element and its key.
    fn erase_modifiers(&mut self, start: u32, key: u32) {
        const MODIFIERS: [&str; 7] =
            ["public", "private", "protected", "abstract", "override", "readonly", "declare"];
        let source = self.source;
        let text = &source[start as usize..key as usize];
        let mut offset = 0;
        for word in text.split(|character: char| !character.is_ascii_alphabetic()) {
            let at = start + u32::try_from(offset).unwrap_or_default();
            if MODIFIERS.contains(&word) {
                self.erase(at, at + u32::try_from(word.len()).unwrap_or_default());
                if offset == 0 {
                    self.put.insert(at as usize, ';');
                }
            }
            offset += word.len() + 1;
        }
    }

    /// Where an erased end of an expression leaves a line that the next one would continue, a semicolon parts them.
    fn erase_tail(&mut self, start: u32, end: u32) {
        self.erase(start, end);
        let rest = &self.source[end as usize..];
        let next = rest.trim_start();
        if rest[..rest.len() - next.len()].contains('\n') && next.starts_with(['(', '[', '`']) {
            self.put.insert(start as usize, ';');
        }
    }
}

impl<'a> Visit<'a> for Eraser<'_> {
    fn visit_statement(&mut self, statement: &ast::Statement<'a>) {
        use ast::Statement as S;
        match statement {
            S::TSTypeAliasDeclaration(_)
            | S::TSInterfaceDeclaration(_)
            | S::TSGlobalDeclaration(_)
            | S::TSExternalModuleDeclaration(_) => {
                self.erase_element(statement.span());
            }
            S::TSEnumDeclaration(declaration) if declaration.declare => {
                self.erase_element(statement.span())
            }
            S::TSNamespaceDeclaration(declaration) if declaration.declare => {
                self.erase_element(statement.span())
            }
            S::VariableDeclaration(declaration) if declaration.declare => {
                self.erase_element(statement.span())
            }
            S::ClassDeclaration(declaration) if declaration.declare => {
                self.erase_element(statement.span())
            }
            S::FunctionDeclaration(declaration) if declaration.body.is_none() => {
                self.erase_element(statement.span())
            }
            S::TSEnumDeclaration(_) => {
                self.refuse(
                    statement.span(),
                    "`enum` is more than an annotation",
                    "write a plain object: `const Color = { red: 0 }`",
                );
            }
            S::TSNamespaceDeclaration(_) => {
                self.refuse(
                    statement.span(),
                    "`namespace` is more than an annotation",
                    "write a plain object",
                );
            }
            S::ImportDeclaration(_) | S::TSImportEqualsDeclaration(_) => self.refuse(
                statement.span(),
                "there are no modules to import",
                "call `tools.<source>.<tool>(input)`; `search(query)` finds tools",
            ),
            S::ExportAllDeclaration(_)
            | S::ExportDefaultDeclaration(_)
            | S::ExportNamedDeclaration(_)
            | S::TSExportAssignment(_)
            | S::TSNamespaceExportDeclaration(_) => {
                self.refuse(
                    statement.span(),
                    "a program exports nothing",
                    "use `return` for its value",
                );
            }
            _ => walk::walk_statement(self, statement),
        }
    }

    fn visit_return_statement(&mut self, statement: &ast::ReturnStatement<'a>) {
        self.returns |= self.functions == 0;
        walk::walk_return_statement(self, statement);
    }

    fn visit_function(&mut self, function: &ast::Function<'a>, flags: ScopeFlags) {
        if let Some(this) = &function.this_param {
            let end = function.params.items.first().map(|item| item.span.start);
            let comma = self.source[this.span.end as usize..]
                .find(',')
                .and_then(|offset| u32::try_from(offset).ok());
            // The comma after it goes with it; without a parameter behind it there may be none.
            let to = match (end, comma) {
                (Some(next), Some(offset)) if this.span.end + offset < next => {
                    this.span.end + offset + 1
                }
                _ => this.span.end,
            };
            self.erase(this.span.start, to);
        }
        self.functions += 1;
        walk::walk_function(self, function, flags);
        self.functions -= 1;
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ast::ArrowFunctionExpression<'a>) {
        if let Some(result) = &arrow.return_type {
            let text = &self.source[result.span.start as usize..result.span.end as usize];
            if text.contains('\n') {
                // `=>` must stand on the line of the parenthesis, so that one moves down.
                let closing = self.source[..result.span.start as usize].rfind(')');
                let last = self.source[..result.span.end as usize].char_indices().next_back();
                if let (Some(closing), Some((at, _))) = (closing, last) {
                    let from = u32::try_from(closing).unwrap_or_default();
                    self.erase(from, from + 1);
                    self.put.insert(at, ')');
                }
            }
        }
        self.functions += 1;
        walk::walk_arrow_function_expression(self, arrow);
        self.functions -= 1;
    }

    fn visit_formal_parameter(&mut self, parameter: &ast::FormalParameter<'a>) {
        if parameter.accessibility.is_some() || parameter.readonly || parameter.r#override {
            self.refuse(
                parameter.span,
                "a parameter property is more than an annotation",
                "assign the field in the constructor",
            );
        }
        if parameter.optional {
            self.erase_mark(parameter.pattern.span().end, '?');
        }
        walk::walk_formal_parameter(self, parameter);
    }

    fn visit_variable_declarator(&mut self, declarator: &ast::VariableDeclarator<'a>) {
        if declarator.definite {
            self.erase_mark(declarator.id.span().end, '!');
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_class(&mut self, class: &ast::Class<'a>) {
        if class.r#abstract {
            self.erase_modifiers(
                class.span.start,
                class.id.as_ref().map_or(class.body.span.start, |id| id.span.start),
            );
        }
        if let Some(first) = class.implements.first()
            && let Some(keyword) = self.source[..first.span.start as usize].rfind("implements")
        {
            self.erase(u32::try_from(keyword).unwrap_or_default(), class.body.span.start);
        }
        walk::walk_class(self, class);
    }

    fn visit_class_element(&mut self, element: &ast::ClassElement<'a>) {
        match element {
            ast::ClassElement::TSIndexSignature(signature) => {
                return self.erase_element(signature.span);
            }
            ast::ClassElement::MethodDefinition(method) => {
                if method.value.body.is_none() {
                    return self.erase_element(method.span);
                }
                self.erase_modifiers(method.span.start, method.key.span().start);
                if method.optional {
                    self.erase_mark(method.key.span().end, '?');
                }
            }
            ast::ClassElement::PropertyDefinition(field) => {
                if field.declare
                    || field.r#type == ast::PropertyDefinitionType::TSAbstractPropertyDefinition
                {
                    return self.erase_element(field.span);
                }
                self.erase_modifiers(field.span.start, field.key.span().start);
                self.erase_mark(field.key.span().end, if field.definite { '!' } else { '?' });
            }
            _ => {}
        }
        walk::walk_class_element(self, element);
    }

    fn visit_ts_type_annotation(&mut self, annotation: &ast::TSTypeAnnotation<'a>) {
        // Its span may or may not begin with the colon.
        let start = annotation.span.start as usize;
        let colon = if self.source[start..].starts_with(':') {
            Some(start)
        } else {
            self.source[..start]
                .trim_end()
                .ends_with(':')
                .then(|| self.source[..start].trim_end().len() - 1)
        };
        self.erase(u32::try_from(colon.unwrap_or(start)).unwrap_or_default(), annotation.span.end);
    }

    fn visit_ts_type_parameter_declaration(
        &mut self,
        declaration: &ast::TSTypeParameterDeclaration<'a>,
    ) {
        self.erase(declaration.span.start, declaration.span.end);
    }

    fn visit_ts_type_parameter_instantiation(
        &mut self,
        instantiation: &ast::TSTypeParameterInstantiation<'a>,
    ) {
        self.erase(instantiation.span.start, instantiation.span.end);
    }

    fn visit_ts_as_expression(&mut self, cast: &ast::TSAsExpression<'a>) {
        self.visit_expression(&cast.expression);
        self.erase_tail(cast.expression.span().end, cast.span.end);
    }

    fn visit_ts_satisfies_expression(&mut self, cast: &ast::TSSatisfiesExpression<'a>) {
        self.visit_expression(&cast.expression);
        self.erase_tail(cast.expression.span().end, cast.span.end);
    }

    fn visit_ts_non_null_expression(&mut self, expression: &ast::TSNonNullExpression<'a>) {
        self.visit_expression(&expression.expression);
        self.erase_tail(expression.expression.span().end, expression.span.end);
    }

    fn visit_ts_type_assertion(&mut self, assertion: &ast::TSTypeAssertion<'a>) {
        self.erase(assertion.span.start, assertion.expression.span().start);
        self.visit_expression(&assertion.expression);
    }
}

#[cfg(test)]
#[path = "strip_tests.rs"]
mod tests;
