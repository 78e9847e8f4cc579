//! Words that tell nothing of what is looked for.

use hashbrown::HashSet;
use std::sync::LazyLock;

/// English function words, and what people and models say to whoever answers ("could you please help me").
const WORDS: &str = "\
a about above after again all also am an and any are arent as at be because been before being below between both but by \
can cannot cant could couldnt did didnt do does doesnt doing dont down during each either else etc ever every few for \
from further had has have having he her here hers him his how however i id if ill im in into is isnt it its itself ive \
just kindly let lets like many may me might more most much must my myself need needed needs neither no nor not of off on \
once one only or other others ought our ours out over own per please same shall she should so some such than thank \
thanks that thats the their theirs them then there these they this those though through thus to too under until up upon \
us very via want wants was we well were what whats when where whether which while who whom whose why will with within \
without wont would wouldnt yes yet you your yours yourself help able hello hi hey going got given \
tool tools use used uses using";

static SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| WORDS.split_ascii_whitespace().collect());

/// Whether `word`, in lower case, is left out of tools and queries.
pub fn is_stop(word: &str) -> bool {
    SET.contains(word)
}
