//! Words that mean much the same where tools are concerned, and the short forms that people and models write.
//!
//! A query's word also finds its neighbours here, for less than its own (see [`super::Setting::synonym`]). The table
//! is of common English and of computing; it names no product's tools.

use hashbrown::HashMap;
use std::sync::LazyLock;

use super::stem::Stems;

/// One group a line. A word may stand in several; what one group joins another does not.
const GROUPS: &str = "\
get fetch retrieve obtain read
list enumerate
list show
search find lookup query
find locate discover
create add make new
create generate build compose
add insert append
delete remove erase
remove drop clear
update edit modify change
set configure assign
send post publish
send deliver submit
run execute invoke
start launch begin initiate
open launch
open create
stop end halt terminate
kill terminate
cancel abort revoke
show display view
convert transform
convert conversion
download save
save store write
upload import
export save
import load
copy duplicate clone
move transfer
rename name
check verify validate confirm
compare comparison diff difference
calculate compute calculation
estimate predict forecast
forecast prediction predict
weather forecast temperature climate
analyze analysis analytics
monitor track watch
track follow
count number total
sort order arrange
filter select
merge combine join
split divide separate
extract parse scrape
scrape crawl
crop resize
translate translation
summarize summary
explain describe
book reserve booking reservation
buy purchase order
purchase order
sell sale
pay payment
rent rental hire
schedule appointment
share publish
subscribe subscription
sign login signin logon
login authenticate authentication
authenticate auth
authorize permission access
register signup enroll
approve accept
reject decline deny
recommend suggest recommendation suggestion
notify notification alert
remind reminder
reply respond answer response
comment review feedback
rate rating score review
play listen
watch stream
visit tour
travel trip journey itinerary
drive driving
repo repository
dir directory
directory folder
folder mkdir
file document
doc document
doc documentation
docx word document
word docx
ppt powerpoint presentation slide
pptx powerpoint presentation
slide slideshow deck
xls excel spreadsheet
xlsx excel spreadsheet
excel spreadsheet workbook worksheet
sheet worksheet spreadsheet
csv table
table spreadsheet
pdf document
md markdown
img image
image picture photo photograph
picture drawing painting artwork
art artwork painting
pic picture photo
icon logo
video clip movie
movie film cinema
audio sound
song music track
music audio
podcast episode
transcript subtitle caption
url link
url webpage website
site website
web website internet online
page webpage
browser web
html webpage
screenshot capture
map route navigation
route direction path
location place position
place venue spot
nearby near closest nearest
nearest closest
address location
coordinate latitude longitude
geo geographic geocode
city town
country nation
flight airline plane airfare
train railway rail
bus coach
taxi cab ride
car vehicle automobile auto
hotel accommodation lodging
accommodation lodging homestay listing
house home property
apartment house flat
estate property
restaurant dining eatery
food meal dish
recipe cooking cook
nutrition calorie diet
grocery supermarket
shop store shopping
product item
cart basket
price cost
price quote
cost expense fee
currency exchange money
money cash fund
crypto cryptocurrency
bitcoin btc cryptocurrency
coin token cryptocurrency
stock share equity
stock ticker
market exchange
finance financial
invest investment
bank banking
loan mortgage
tax taxation
invoice bill receipt
transaction payment
refund reimbursement
account profile
user account
user member
person people
contact phone
customer client
employee staff
team group
company business corporation firm
organization org
job career position
resume cv
task todo
ticket issue
bug issue defect
report issue
pr pull
commit revision
branch fork
msg message
message chat
chat conversation
message text
email mail
inbox mailbox
attachment file
calendar event schedule
event activity
meeting conference
date day
date calendar
time clock
time hour
timezone zone
now current
today current
latest recent new
trend trending popular
popular hot top
rank ranking leaderboard
best top
history historical past
news headline article
article paper publication
paper study research
research study
academic scholarly
book novel
library package
package dependency module
module component
version release
deploy deployment
build compile
code script
code program source
function method
shell terminal command
command process
cmd command
bash shell
process task
cpu processor
mem memory
memory note
note memo
db database
database sql
table database
column field
row record
record entry
key credential
password secret
token credential
config configuration setting
setting preference option
env environment
param parameter argument
arg argument
var variable
lib library
app application
api endpoint
server host
host machine
vm instance
k8 kubernetes
container docker
cluster node
log event
error exception
error failure
metric statistic
stats statistics statistic
statistic data
data dataset
data information
info information detail
detail information
metadata property attribute
attribute property
status state condition
type kind category
category genre
id identifier
tag label
size length
width dimension
distance length
area region
region zone
random chance
probability odds chance
average mean
sum total
max maximum
min minimum
percent percentage
equation formula
math mathematics
graph chart plot
chart diagram
diagram flowchart
visualize visualization chart
mindmap map
doctor physician
hospital clinic
medicine drug medication
disease illness condition
symptom condition
gene genetic variant
mutation variant
clinical medical
health medical
patient medical
law legal
court lawsuit
case lawsuit
crime criminal
school education
student pupil
course class lesson
university college
game match
sport game
player athlete
tournament competition league
champion hero
museum gallery
ancestor genealogy
astrology horoscope zodiac
holiday vacation
park attraction
attraction sightseeing
parking garage
charge charging
electric electricity
light lamp
device appliance
ac conditioner
temperature heat
animal pet
plant garden
color colour
language locale
llm model
ai intelligence
ml model
prompt instruction
question query
domain whois
dns domain
ip address
network internet
vuln vulnerability
threat malware
wallet account
contract agreement
nft collectible
tweet twitter post
post article
blog article
forum community
friend follower
like favorite
bookmark favorite
project workspace
workspace environment
template layout
style theme format
format layout
font typography
form questionnaire survey
survey poll
vote poll";

/// The neighbours of each term, all of them terms.
static NEIGHBOURS: LazyLock<HashMap<Box<str>, Vec<Box<str>>>> = LazyLock::new(|| {
    let mut stems = Stems::default();
    let mut neighbours: HashMap<Box<str>, Vec<Box<str>>> = HashMap::new();
    for group in GROUPS.lines() {
        let terms: Vec<Box<str>> =
            group.split_ascii_whitespace().filter_map(|word| stems.term(word).map(Into::into)).collect();
        for term in &terms {
            let known = neighbours.entry(term.clone()).or_default();
            for other in &terms {
                if other != term && !known.contains(other) {
                    known.push(other.clone());
                }
            }
        }
    }
    neighbours
});

/// The terms that mean much the same as `term`.
pub(super) fn neighbours(term: &str) -> impl Iterator<Item = &'static str> {
    NEIGHBOURS.get(term).into_iter().flatten().map(|neighbour| &**neighbour)
}
