//! What search promises, whatever the tools and the queries are.

use std::collections::BTreeSet;

use proptest::prelude::*;
use toolscope::search::{Document, Exactness, Page, SchemaText, SearchIndex, program_path};

#[derive(Clone, Debug)]
struct Tool {
    id: String,
    source: String,
    name: String,
    description: String,
    parameters: String,
}

fn put(index: &mut SearchIndex, slot: usize, tool: &Tool) {
    let document = Document {
        id: &tool.id,
        name: &tool.name,
        description: Some(&tool.description),
        schema: SchemaText { parameters: tool.parameters.clone(), ..SchemaText::default() },
        ..Document::default()
    };
    index.upsert(u32::try_from(slot).expect("few tools"), &document);
}

fn index_of(tools: &[Tool]) -> SearchIndex {
    let mut index = SearchIndex::new();
    for (slot, tool) in tools.iter().enumerate() {
        put(&mut index, slot, tool);
    }
    index
}

fn all(index: &SearchIndex, query: &str) -> Page {
    index.search(query, |_| true, usize::MAX, 0, None)
}

/// A page as ids and scores, for comparing indexes whose slots differ.
fn shown(index: &SearchIndex, page: &Page) -> Vec<(String, u32, Exactness)> {
    page.hits.iter().map(|hit| (index.id(hit.slot).to_owned(), hit.score.to_bits(), hit.exactness)).collect()
}

/// Words that tools and queries share, so that most queries find something.
fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "create",
        "issue",
        "list",
        "pull",
        "request",
        "file",
        "read",
        "weather",
        "forecast",
        "search",
        "repository",
        "delete",
        "user",
        "the",
        "of",
        "搜索",
        "文件",
        "größe",
        "base64",
        "getUserName",
        "v2",
        "image",
    ])
    .prop_map(str::to_owned)
}

fn text(words: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(word(), words).prop_map(|words| words.join(" "))
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::collection::vec(word(), 1..4).prop_map(|words| words.join("_")),
        1 => "[ -~]{0,6}[a-zA-Z!é図\"\\\\][ -~]{0,6}",
    ]
}

fn tool() -> impl Strategy<Value = Tool> {
    let source = prop::sample::select(vec!["builtin", "mcp:github", "ext:files", "mcp:\"@acme/kb\"", "plain"]);
    (source, name(), text(0..12), text(0..4)).prop_map(|(source, name, description, parameters)| {
        let separator = if source == "builtin" { ":" } else { "/" };
        Tool { id: format!("{source}{separator}{name}"), source: source.to_owned(), name, description, parameters }
    })
}

fn tools(most: usize) -> impl Strategy<Value = Vec<Tool>> {
    prop::collection::vec(tool(), 1..most).prop_map(|mut tools| {
        let mut seen = BTreeSet::new();
        tools.retain(|tool| seen.insert(tool.id.clone()));
        tools
    })
}

fn query() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => text(1..6),
        2 => prop::collection::vec(text(3..8), 2..4).prop_map(|sentences| sentences.join(". ")),
        1 => "[a-z]{4,9}( [a-z]{4,9}){0,3}",
        1 => any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn an_exact_id_name_or_path_comes_first(tools in tools(24), pick in any::<prop::sample::Index>()) {
        let index = index_of(&tools);
        let tool = pick.get(&tools);
        let first = |query: &str| index.search(query, |_| true, 1, 0, None).hits[0];
        prop_assert_eq!(index.id(first(&tool.id).slot), &tool.id);

        let named = first(&tool.name);
        prop_assert!(named.exactness >= Exactness::Name, "{:?} for {:?}", named, tool.name);

        // Programs call a source by its name, and by its id where several have the name.
        let name = tool.source.split_once(':').map_or(&*tool.source, |(_, name)| name).trim_matches('"');
        for label in [name, &*tool.source] {
            let path = program_path(label, &tool.name);
            let found = first(&path);
            prop_assert!(found.exactness >= Exactness::Name, "{:?} for {}", found, path);
        }
    }

    #[test]
    fn only_visible_tools_are_found(tools in tools(24), query in query(), mask in any::<u64>()) {
        let index = index_of(&tools);
        let visible = |slot: u32| mask >> (slot % 64) & 1 == 1;
        let page = index.search(&query, visible, usize::MAX, 0, None);
        prop_assert!(page.hits.iter().all(|hit| visible(hit.slot)));
        prop_assert_eq!(page.total, page.hits.len());
        for tool in &tools {
            let page = index.search(&tool.id, visible, usize::MAX, 0, None);
            prop_assert!(page.hits.iter().all(|hit| visible(hit.slot)));
        }
    }

    #[test]
    fn pages_part_the_result(tools in tools(90), query in query(), size in 1_usize..50) {
        let index = index_of(&tools);
        let whole = all(&index, &query);
        let mut paged = Vec::new();
        for offset in (0..whole.total.max(1)).step_by(size) {
            let page = index.search(&query, |_| true, size, offset, None);
            prop_assert_eq!(page.total, whole.total);
            paged.extend(page.hits);
        }
        prop_assert_eq!(&paged, &whole.hits);
        let slots: BTreeSet<u32> = paged.iter().map(|hit| hit.slot).collect();
        prop_assert_eq!(slots.len(), whole.total);
    }

    #[test]
    fn scores_never_rise_down_a_page(tools in tools(60), query in query()) {
        let index = index_of(&tools);
        let page = all(&index, &query);
        for pair in page.hits.windows(2) {
            let key = |at: usize| (pair[at].exactness, pair[at].score);
            prop_assert!(key(0) >= key(1), "{:?}", pair);
            prop_assert!(pair[0].score.is_finite());
        }
    }

    #[test]
    fn the_order_of_insertion_leaves_no_trace(tools in tools(40), query in query(), seed in any::<u64>()) {
        let mut shuffled = tools.clone();
        let length = shuffled.len();
        for at in 0..length {
            shuffled.swap(at, usize::try_from(seed.rotate_left(u32::try_from(at).unwrap()) % length as u64).unwrap());
        }
        let (one, other) = (index_of(&tools), index_of(&shuffled));
        prop_assert_eq!(shown(&one, &all(&one, &query)), shown(&other, &all(&other, &query)));
    }

    #[test]
    fn what_was_removed_leaves_no_trace(tools in tools(40), passing in tools(20), query in query()) {
        let fresh = index_of(&tools);
        let mut index = SearchIndex::new();
        for (slot, tool) in passing.iter().enumerate() {
            put(&mut index, slot * 2, tool);
        }
        for (slot, tool) in tools.iter().enumerate() {
            put(&mut index, slot * 2 + 1, tool);
        }
        for slot in 0..passing.len() {
            prop_assert!(index.remove(u32::try_from(slot * 2).unwrap()));
        }
        prop_assert_eq!(index.len(), fresh.len());
        prop_assert_eq!(shown(&index, &all(&index, &query)), shown(&fresh, &all(&fresh, &query)));
    }

    #[test]
    fn a_replaced_tool_is_found_as_it_is_now(tools in tools(20), now in tool(), query in query()) {
        let mut index = index_of(&tools);
        prop_assume!(tools.iter().skip(1).all(|tool| tool.id != now.id));
        put(&mut index, 0, &now);
        let mut expected = tools.clone();
        expected[0] = now;
        let fresh = index_of(&expected);
        prop_assert_eq!(shown(&index, &all(&index, &query)), shown(&fresh, &all(&fresh, &query)));
    }

    #[test]
    fn an_explanation_is_of_what_was_answered(tools in tools(30), query in query()) {
        let index = index_of(&tools);
        for hit in all(&index, &query).hits.iter().take(3) {
            let explained = index.explain(&query, |_| true, hit.slot, None).unwrap();
            prop_assert_eq!(explained.score.to_bits(), hit.score.to_bits());
            prop_assert_eq!(explained.exactness, hit.exactness);
            prop_assert!(hit.score == 0.0 || explained.words.iter().any(|word| word.worth > 0.0));
        }
    }

    #[test]
    fn use_lifts_a_tool_and_says_so(tools in tools(30), query in text(1..6), pick in any::<prop::sample::Index>()) {
        let index = index_of(&tools);
        let before = all(&index, &query);
        prop_assume!(!before.hits.is_empty());
        let slot = pick.get(&before.hits).slot;
        let prior = |other: u32| if other == slot { 1.0 } else { 0.0 };
        let after = index.search(&query, |_| true, usize::MAX, 0, Some(&prior));
        let place = |page: &Page| page.hits.iter().position(|hit| hit.slot == slot);
        prop_assert!(place(&after) <= place(&before));
        prop_assert_eq!(after.total, before.total);
        let explained = index.explain(&query, |_| true, slot, Some(&prior)).unwrap();
        prop_assert!(explained.prior > 1.0);
    }
}

fn plain(name: &str, description: &str) -> Tool {
    Tool {
        id: format!("mcp:x/{name}"),
        source: "mcp:x".into(),
        name: name.into(),
        description: description.into(),
        parameters: String::new(),
    }
}

#[test]
fn an_empty_query_lists_by_id() {
    let index = index_of(&[plain("c", ""), plain("a", ""), plain("b", "")]);
    let ids = |page: &Page| page.hits.iter().map(|hit| index.id(hit.slot).to_owned()).collect::<Vec<_>>();
    assert_eq!(ids(&all(&index, "  ")), ["mcp:x/a", "mcp:x/b", "mcp:x/c"]);
    assert_eq!(ids(&index.search("", |_| true, 1, 1, None)), ["mcp:x/b"]);
}

#[test]
fn every_need_of_a_query_is_met_early() {
    let mut tools: Vec<Tool> = (0..12)
        .map(|number| plain(&format!("weather_forecast_{number}"), "Weather forecast of a city for the coming days"))
        .collect();
    tools.push(plain("convert_currency", "Convert an amount of money to another currency"));
    let index = index_of(&tools);
    let query = "Show the weather forecast of Rome, its city weather for some days. \
                 Then convert an amount of dollars to another currency.";
    let page = index.search(query, |_| true, 3, 0, None);
    let ids: Vec<&str> = page.hits.iter().map(|hit| index.id(hit.slot)).collect();
    assert!(ids.contains(&"mcp:x/convert_currency"), "{ids:?}");
}

#[test]
fn a_misspelt_word_finds_only_where_no_tool_has_it_as_written() {
    let index = index_of(&[plain("list_repositories", ""), plain("get_form", ""), plain("get_from", "")]);
    let first = |query: &str| all(&index, query).hits.first().map(|hit| index.id(hit.slot));
    assert_eq!(first("repositroies"), Some("mcp:x/list_repositories"));
    assert_eq!(all(&index, "form").total, 1);
    assert_eq!(first("xq"), None);
    assert_eq!(first("repos"), Some("mcp:x/list_repositories"));
    assert_eq!(first("reposit"), Some("mcp:x/list_repositories"));
}
