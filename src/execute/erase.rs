//! Finds what of a TypeScript program is no JavaScript: the annotations, and the marks that go with them.

use std::collections::HashMap;

use oxc_ast::ast;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

/// Collects what must go.
pub(super) struct Eraser<'s> {
    source: &'s str,
    /// What becomes spaces.
    pub(super) blanks: Vec<Span>,
    /// What stands at a byte of a blank instead of a space.
    pub(super) put: HashMap<usize, char>,
    functions: usize,
    /// Whether there is a `return` outside every function.
    pub(super) returns: bool,
    /// The first thing that is more than an annotation: where, what, and what to write instead.
    pub(super) fault: Option<(usize, String, &'static str)>,
}

impl<'s> Eraser<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, blanks: Vec::new(), put: HashMap::new(), functions: 0, returns: false, fault: None }
    }

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
        if let Some(offset) = rest.find(|character: char| !character.is_whitespace() && character != ']')
            && rest[offset..].starts_with(mark)
        {
            let at = from + u32::try_from(offset).unwrap_or_default();
            self.erase(at, at + 1);
        }
    }

    /// Erases modifiers between the start of a class element and its key.
    fn erase_modifiers(&mut self, start: u32, key: u32) {
        const MODIFIERS: [&str; 7] = ["public", "private", "protected", "abstract", "override", "readonly", "declare"];
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
                self.erase_element(statement.span());
            }
            S::TSNamespaceDeclaration(declaration) if declaration.declare => {
                self.erase_element(statement.span());
            }
            S::VariableDeclaration(declaration) if declaration.declare => {
                self.erase_element(statement.span());
            }
            S::ClassDeclaration(declaration) if declaration.declare => {
                self.erase_element(statement.span());
            }
            S::FunctionDeclaration(declaration) if declaration.body.is_none() => {
                self.erase_element(statement.span());
            }
            S::TSEnumDeclaration(_) => {
                self.refuse(
                    statement.span(),
                    "`enum` is more than an annotation",
                    "write a plain object: `const Color = { red: 0 }`",
                );
            }
            S::TSNamespaceDeclaration(_) => {
                self.refuse(statement.span(), "`namespace` is more than an annotation", "write a plain object");
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
                self.refuse(statement.span(), "a program exports nothing", "use `return` for its value");
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
            let comma = self.source[this.span.end as usize..].find(',').and_then(|offset| u32::try_from(offset).ok());
            // The comma after it goes with it; without a parameter behind it there may be none.
            let to = match (end, comma) {
                (Some(next), Some(offset)) if this.span.end + offset < next => this.span.end + offset + 1,
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
            self.erase_modifiers(class.span.start, class.id.as_ref().map_or(class.body.span.start, |id| id.span.start));
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
                if field.declare || field.r#type == ast::PropertyDefinitionType::TSAbstractPropertyDefinition {
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
            self.source[..start].trim_end().ends_with(':').then(|| self.source[..start].trim_end().len() - 1)
        };
        self.erase(u32::try_from(colon.unwrap_or(start)).unwrap_or_default(), annotation.span.end);
    }

    fn visit_ts_type_parameter_declaration(&mut self, declaration: &ast::TSTypeParameterDeclaration<'a>) {
        self.erase(declaration.span.start, declaration.span.end);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, instantiation: &ast::TSTypeParameterInstantiation<'a>) {
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
