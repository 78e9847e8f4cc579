//! Laws of catalogs, for any tools, options, use and budget.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolscope::catalog::{
    Catalog, CatalogIndex, Category, Detail, Listing, Options, Origin, Outline, Rank, ShownLevel, Tool, Weights,
    Wishes, resolve_pins, text,
};

#[derive(Clone, Debug)]
struct Made {
    source: String,
    name: String,
    description: Option<String>,
    parameters: Vec<(String, bool)>,
    /// Every parameter is the number 1, which is the shortest type there is.
    terse: bool,
    /// Keywords beside those of the parameters, which may make another type of it.
    beside: serde_json::Map<String, Value>,
    deferred: bool,
}

impl Made {
    fn id(&self) -> String {
        format!("{}/{}", self.source, self.name)
    }

    fn tool(&self) -> Tool {
        let kind = if self.terse { json!({ "const": 1 }) } else { json!({ "type": "string" }) };
        let properties: serde_json::Map<String, Value> =
            self.parameters.iter().map(|(name, _)| (name.clone(), kind.clone())).collect();
        let required: Vec<_> = self.parameters.iter().filter(|(_, required)| *required).map(|(name, _)| name).collect();
        let mut schema = json!({ "type": "object", "properties": properties, "required": required });
        schema.as_object_mut().expect("an object").extend(self.beside.clone());
        let declaration = json!({ "name": self.name, "description": self.description, "inputSchema": schema });
        let declaration = declaration.to_string();
        let origin = Origin {
            source: self.source.clone(),
            name: self.source.clone(),
            prefix: format!("{}/", self.source),
            namespace: self.source.clone(),
            description: self.source.len().is_multiple_of(2).then(|| "About it. And more".into()),
        };
        Tool {
            origin: Arc::new(origin),
            member: self.name.as_str().into(),
            outline: Outline::of(&declaration),
            declaration: declaration.into(),
        }
    }
}

/// A schema of any keywords, right or wrong.
fn schema() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        Just(json!({})),
        Just(json!({ "const": 1 })),
        Just(json!({ "type": ["string", "null"], "description": "What it is.\nAnd more" })),
        Just(json!({ "enum": ["a", "b-c", 3, null] })),
        Just(json!({ "$ref": "#" })),
        Just(json!({ "$ref": "#/$defs/a" })),
        Just(json!(7)),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| keywords(&inner.boxed()).prop_map(Value::Object)).boxed()
}

fn keywords(inner: &BoxedStrategy<Value>) -> impl Strategy<Value = serde_json::Map<String, Value>> + use<> {
    let named = proptest::collection::btree_map("[a-c]{1,2}|[é-ü]{1,3}|a-b", inner.clone(), 0..4);
    let listed = proptest::collection::vec(inner.clone(), 0..4);
    let keyword = prop_oneof![
        ("properties|\\$defs|patternProperties", named).prop_map(|(word, named)| (word, json!(named))),
        ("allOf|anyOf|oneOf|prefixItems", listed).prop_map(|(word, listed)| (word, json!(listed))),
        ("items|additionalProperties|not", inner.clone()),
        ("type", prop_oneof![Just(json!("object")), Just(json!(["object", "null"])), Just(json!("array"))]),
        Just(("required".to_owned(), json!(["a", "zz"]))),
        Just(("nullable".to_owned(), json!(true))),
        Just(("description".to_owned(), json!("A long description, ".repeat(20)))),
        Just(("enum".to_owned(), json!([{ "a": 1 }, "b"]))),
        Just(("$ref".to_owned(), json!("#/$defs/a"))),
    ];
    proptest::collection::vec(keyword, 0..5).prop_map(|keywords| keywords.into_iter().collect())
}

fn made() -> impl Strategy<Value = Made> {
    let name = prop_oneof![8 => "[a-d]{1,2}", 1 => "[a-z]{1,3}-[0-9]{1,30}", 1 => any::<String>()];
    let source = prop_oneof![6 => "[p-s]", 1 => "[a-z]-[a-z]{1,20}", 1 => any::<String>()];
    let description = proptest::option::of(prop_oneof![3 => "[A-Za-z .*/]{0,60}", 1 => any::<String>()]);
    let parameters = proptest::collection::vec(("[a-z_-]{1,9}", any::<bool>()), 0..6);
    let beside = prop_oneof![2 => Just(serde_json::Map::new()), 1 => keywords(&schema())];
    (source, name, description, parameters, any::<bool>(), beside, proptest::bool::weighted(0.1)).prop_map(
        |(source, name, description, parameters, terse, beside, deferred)| Made {
            source,
            name,
            description,
            parameters,
            terse,
            beside,
            deferred,
        },
    )
}

fn inventory() -> impl Strategy<Value = Vec<Made>> {
    proptest::collection::vec(made(), 0..40).prop_map(|list| {
        let by_id: BTreeMap<String, Made> = list.into_iter().map(|made| (made.id(), made)).collect();
        by_id.into_values().collect()
    })
}

prop_compose! {
    fn options()(
        budget in prop_oneof![0_u32..40, 40_u32..400, Just(2_000_u32), any::<u32>()],
        detail in prop_oneof![Just(Detail::Full), Just(Detail::Compact), Just(Detail::Adaptive)],
        rank in prop_oneof![Just(Rank::None), Just(Rank::Usage)],
        pinned in proptest::collection::vec(prop_oneof!["[p-s]/[a-d]", "[a-d]", Just("*/*".to_owned()), Just("p/*".to_owned())], 0..6),
        pinned_limit in prop_oneof![0_u32..4, Just(u32::MAX)],
        categories in proptest::collection::vec(("[p-s]", "[A-C]", prop_oneof!["[a-d]", Just(".".to_owned())]), 0..3),
    ) -> Options {
        let categories = categories.iter().enumerate().map(|(at, (namespace, name, pattern))| {
            Category::new(namespace, &format!("{name}{at}"), pattern, "What it is for.").expect("the pattern is one")
        });
        Options { budget, pinned_limit, pinned, categories: categories.collect(), plugins: Vec::new(), detail, rank }
    }
}

fn usage() -> impl Strategy<Value = Vec<(String, f64)>> {
    proptest::collection::vec(("[p-s]/[a-d]", 0.1_f64..9.0), 0..8)
}

fn index(tools: &[Made], order: impl Iterator<Item = usize>) -> CatalogIndex {
    let mut index = CatalogIndex::default();
    for (slot, at) in (0..).zip(order) {
        index.upsert(slot, tools[at].tool());
    }
    index
}

fn render(index: &mut CatalogIndex, tools: &[Made], options: &Options, usage: &[(String, f64)]) -> Catalog {
    let (pins, _) = resolve_pins(index, &options.pinned);
    let deferred: BTreeSet<String> = tools.iter().filter(|made| made.deferred).map(Made::id).collect();
    let listings: Vec<Listing> = (0..100)
        .map(|slot| match index.tool(slot) {
            Some(tool) if deferred.contains(&tool.id()) => Listing::Deferred,
            Some(_) => Listing::Open,
            None => Listing::Hidden,
        })
        .collect();
    let weights = Weights::new(usage.iter().map(|(id, weight)| (id.as_str().into(), *weight)));
    index.render(&|slot| listings[slot as usize], options, &pins, Some(&weights))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn no_catalog_is_over_budget(tools in inventory(), options in options(), usage in usage()) {
        let catalog = render(&mut index(&tools, 0..tools.len()), &tools, &options, &usage);
        prop_assert!(catalog.tokens <= options.budget as usize, "{} > {}\n{}", catalog.tokens, options.budget, catalog.text);
        prop_assert_eq!(catalog.tokens, text::tokens(catalog.text.encode_utf16().count()));
        prop_assert_eq!(catalog.total, tools.len());
    }

    #[test]
    fn pinned_tools_come_first_in_rank_order(tools in inventory(), options in options(), usage in usage()) {
        let mut index = index(&tools, 0..tools.len());
        let (pins, _) = resolve_pins(&index, &options.pinned);
        let catalog = render(&mut index, &tools, &options, &usage);
        let rank = |id: &str| pins.iter().position(|pin| index.tool(pin.slot).is_some_and(|tool| tool.id() == id));
        let placed = catalog.shown.iter().take(options.pinned_limit as usize).map_while(|tool| rank(&tool.id));
        let placed: Vec<usize> = placed.collect();
        prop_assert!(placed.is_sorted(), "{placed:?}");
        // A pinned tool that comes later came by itself: the limit was reached, or it had no room among the first.
        let unlimited = options.pinned_limit as usize > pins.len();
        let fits_all = options.budget >= 100_000;
        if unlimited && fits_all {
            prop_assert_eq!(placed.len(), pins.len());
        }
        // It is printed before the others of its source.
        let ids: BTreeSet<&str> = catalog.shown.iter().map(|tool| tool.id.as_str()).collect();
        prop_assert_eq!(ids.len(), catalog.shown.len());
    }

    #[test]
    fn a_category_line_is_there_exactly_while_something_is_unshown(tools in inventory(), options in options(), usage in usage()) {
        let catalog = render(&mut index(&tools, 0..tools.len()), &tools, &options, &usage);
        let shown: BTreeSet<&str> = catalog.shown.iter().map(|tool| tool.id.as_str()).collect();
        prop_assert_eq!(options.categories.len(), catalog.categories.len());
        for (category, count) in options.categories.iter().zip(&catalog.categories) {
            let holds = tools.iter().filter(|made| made.source == *category.namespace && category.holds(&made.name));
            let unshown = holds.filter(|made| !shown.contains(made.id().as_str())).count();
            prop_assert_eq!(count.unshown, unshown);
            let head = format!("// {}/{}: ", category.namespace, category.name);
            let line = catalog.text.lines().find(|line| line.starts_with(&head));
            let no_room = catalog.warnings.iter().any(|warning| {
                warning.contains("no room") && (catalog.text.is_empty() || warning.contains(&format!("{}/{}", category.namespace, category.name)))
            });
            match line {
                Some(line) => prop_assert!(line.starts_with(&format!("{head}{unshown} more")) && unshown > 0, "{line}"),
                None => prop_assert!(unshown == 0 || no_room, "{unshown} {:?}\n{}", catalog.warnings, catalog.text),
            }
        }
    }

    #[test]
    fn equal_tools_give_equal_bytes_in_any_order(
        (tools, order) in inventory().prop_flat_map(|tools| {
            let order: Vec<usize> = (0..tools.len()).collect();
            (Just(tools), Just(order).prop_shuffle())
        }),
        options in options(),
        usage in usage(),
    ) {
        let straight = render(&mut index(&tools, 0..tools.len()), &tools, &options, &usage);
        let mut mixed = index(&tools, order.iter().copied());
        let first = render(&mut mixed, &tools, &options, &usage);
        prop_assert_eq!(&first.text, &straight.text);
        // A tool that goes and comes back in another slot changes nothing either.
        if let Some(tool) = mixed.tool(0).cloned() {
            mixed.remove(0);
            render(&mut mixed, &tools, &options, &usage);
            mixed.upsert(77, tool);
            prop_assert_eq!(&render(&mut mixed, &tools, &options, &usage).text, &straight.text);
        }
    }

    /// Which tools were looked at before, and how closely, decides nothing: least costs are never more than the costs.
    #[test]
    fn what_was_measured_before_changes_nothing(tools in inventory(), options in options(), usage in usage()) {
        let fresh = render(&mut index(&tools, 0..tools.len()), &tools, &options, &usage);
        let mut measured = index(&tools, 0..tools.len());
        for detail in [Detail::Full, Detail::Compact] {
            let all = Options { budget: u32::MAX, detail, ..Options::default() };
            prop_assert_eq!(render(&mut measured, &tools, &all, &[]).total, fresh.total);
        }
        prop_assert_eq!(render(&mut measured, &tools, &options, &usage).text, fresh.text);
    }

    /// What a plugin has to say costs no tool that the host pins, and no more of the rest than a share.
    #[test]
    fn wishes_cost_no_pin_of_the_hosts(
        tools in inventory(),
        mut options in options(),
        budget in 20_u32..400,
        categories in proptest::collection::vec(("[p-s]", "[a-z ]{0,150}"), 1..30),
        pinned_limit in 0_u32..3,
    ) {
        options.budget = budget;
        options.pinned.truncate(1);
        let alone = render(&mut index(&tools, 0..tools.len()), &tools, &options, &[]);
        let made = |(at, (source, words)): (usize, &(String, String))| {
            Category::new(source, &format!("W{at}"), ".", words).expect("the pattern is one")
        };
        let categories = categories.iter().enumerate().map(made).collect();
        options.plugins = vec![Wishes { pinned: Vec::new(), pinned_limit, categories }];
        let mut index = index(&tools, 0..tools.len());
        let catalog = render(&mut index, &tools, &options, &[]);
        let (pins, _) = resolve_pins(&index, &options.pinned);
        if let Some(first) = pins.first().and_then(|pin| index.tool(pin.slot)).map(Tool::id)
            && options.pinned_limit > 0
            && alone.shown.first().is_some_and(|tool| tool.id == first)
        {
            prop_assert_eq!(&catalog.shown.first().expect("the pinned tool").id, &first);
        }
        let wished = catalog.text.lines().filter(|line| line.starts_with("// ") && line.get(4..6) == Some("/W"));
        let taken: usize = wished.map(|line| line.encode_utf16().count() + 1).sum();
        prop_assert!(taken <= (budget as usize * 4 + 1) / 4, "{}", catalog.text);
        prop_assert!(catalog.tokens <= budget as usize);
    }

    /// A block prints its names last, and so `shown` has them.
    #[test]
    fn what_is_shown_is_in_the_order_of_the_text(tools in inventory(), any in options(), budget in 30_u32..400, usage in usage()) {
        let options = Options { budget, detail: Detail::Adaptive, pinned: Vec::new(), ..any };
        let catalog = render(&mut index(&tools, 0..tools.len()), &tools, &options, &usage);
        let source_of = |id: &str| tools.iter().find(|made| made.id() == id).expect("a tool").source.clone();
        let places = catalog.shown.iter().map(|tool| (source_of(&tool.id), tool.level == ShownLevel::Name, tool.id.clone()));
        prop_assert!(places.is_sorted(), "{:?}\n{}", catalog.shown, catalog.text);
    }

    /// What a source said before, and who else said something, is forgotten with the tools it came with.
    #[test]
    fn what_a_source_says_is_what_its_tools_in_sight_say(
        tools in inventory(),
        sayings in proptest::collection::vec(proptest::option::of("[a-d]{1,3}"), 40),
        order in Just((0..40).collect::<Vec<usize>>()).prop_shuffle(),
        gone in proptest::collection::vec(any::<bool>(), 40),
        options in options(),
    ) {
        let mut said: Vec<Tool> = tools.iter().map(Made::tool).collect();
        for (tool, saying) in said.iter_mut().zip(&sayings) {
            tool.origin = Arc::new(Origin { description: saying.clone(), ..Origin::clone(&tool.origin) });
        }
        let (mut lived, mut fresh) = (CatalogIndex::default(), CatalogIndex::default());
        for (slot, at) in (0..).zip(order.iter().copied().filter(|at| *at < said.len())) {
            lived.upsert(slot, said[at].clone());
            if gone[at] {
                lived.remove(slot);
            }
        }
        for (slot, at) in (0..).zip((0..said.len()).filter(|at| !gone[*at])) {
            fresh.upsert(slot, said[at].clone());
        }
        let text = |index: &mut CatalogIndex| {
            let (pins, _) = resolve_pins(index, &options.pinned);
            index.render(&|_| Listing::Open, &options, &pins, None).text
        };
        prop_assert_eq!(text(&mut lived), text(&mut fresh));
    }

    /// A limit counts a pinned tool whatever shows it: deferred tools beyond it are as if nobody had pinned them.
    #[test]
    fn pins_beyond_the_limit_are_no_pins(tools in inventory(), options in options()) {
        let mut index = index(&tools, 0..tools.len());
        let (pins, _) = resolve_pins(&index, &options.pinned);
        let within: Vec<_> = pins.iter().take(options.pinned_limit as usize).copied().collect();
        let listed = |slot: u32| match index.tool(slot) {
            Some(tool) if tools.iter().any(|made| made.deferred && made.id() == tool.id()) => Listing::Deferred,
            Some(_) => Listing::Open,
            None => Listing::Hidden,
        };
        let listings: Vec<Listing> = (0..100).map(listed).collect();
        // With room for everything none is skipped, so that the first ones are those that count.
        let options = Options { budget: 1_000_000, ..options };
        let all = index.render(&|slot| listings[slot as usize], &options, &pins, None);
        let few = index.render(&|slot| listings[slot as usize], &options, &within, None);
        prop_assert_eq!(all.text, few.text);
    }

    /// Use of what the asker cannot see decides nothing: the catalog is that of the use of what it can see.
    #[test]
    fn use_out_of_sight_changes_nothing(
        tools in inventory(),
        any in options(),
        is_adaptive in proptest::bool::weighted(0.8),
        budget in 30_u32..300,
        usage in proptest::collection::vec(("[p-s]/[a-d]{1,2}", 0.1_f64..9.0), 1..20),
        hidden in "[p-s]{1,3}",
    ) {
        let detail = if is_adaptive { Detail::Adaptive } else { any.detail };
        let options = Options { budget, detail, rank: Rank::Usage, ..any };
        let is_hidden = |id: &str| hidden.chars().any(|source| id.starts_with(source));
        let seen: Vec<Made> = tools.iter().filter(|made| !is_hidden(&made.id())).cloned().collect();
        let used_in_sight: Vec<_> = usage.iter().filter(|(id, _)| !is_hidden(id)).cloned().collect();
        let mut all = index(&tools, 0..tools.len());
        let listed = |slot: u32| {
            let tool = all.tool(slot).expect("a tool");
            let made = tools.iter().find(|made| made.id() == tool.id()).expect("what it was made from");
            match made {
                made if is_hidden(&made.id()) => Listing::Hidden,
                made if made.deferred => Listing::Deferred,
                _ => Listing::Open,
            }
        };
        let listings: Vec<Listing> = (0..).take(tools.len()).map(listed).collect();
        let (pins, _) = resolve_pins(&all, &options.pinned);
        let weights = Weights::new(usage.iter().map(|(id, weight)| (id.as_str().into(), *weight)));
        let catalog = all.render(&|slot| listings[slot as usize], &options, &pins, Some(&weights));
        let alone = render(&mut index(&seen, 0..seen.len()), &seen, &options, &used_in_sight);
        prop_assert_eq!(catalog.text, alone.text);
    }

    #[test]
    fn complete_says_whether_all_is_shown(tools in inventory(), options in options(), usage in usage()) {
        let catalog = render(&mut index(&tools, 0..tools.len()), &tools, &options, &usage);
        let all = catalog.shown.len() == catalog.total && catalog.shown.iter().all(|tool| tool.level != ShownLevel::Name);
        prop_assert_eq!(catalog.complete, all);
        if !catalog.text.is_empty() {
            prop_assert_eq!(catalog.text.contains("not complete"), !catalog.complete);
        }
    }
}

#[test]
fn a_deferred_tool_is_named_or_pinned_and_otherwise_only_counted() {
    let tool = |name: &str, deferred| Made {
        source: "s".to_owned(),
        name: name.to_owned(),
        description: None,
        parameters: vec![("q".to_owned(), true)],
        terse: false,
        beside: serde_json::Map::new(),
        deferred,
    };
    let tools = [tool("near", false), tool("far", true), tool("farther", true)];
    let mut index = index(&tools, 0..3);
    let mut options = Options { pinned: vec!["s/far".to_owned()], ..Options::default() };
    let catalog = render(&mut index, &tools, &options, &[]);
    assert_eq!(
        catalog.text,
        "// 2 of 3 tools in 1 source; not complete.\ndeclare const tools: {\ns: { // 2 of 3 · About it\nfar(input: { q: string }): any\nnear(input: { q: string }): any\n}\n}"
            .replace(" · About it", "")
    );
    options.pinned.clear();
    options.detail = Detail::Adaptive;
    let catalog = render(&mut index, &tools, &options, &[]);
    assert!(catalog.text.contains("// also far, farther\n"), "{}", catalog.text);
    assert!(!catalog.complete);
}
