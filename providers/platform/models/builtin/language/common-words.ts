/**
 * Everyday English content words by how often they are met in general prose, most frequent first, in rough bands.
 * Written from general knowledge of English, not counted in any corpus; only the order of magnitude matters.
 */
const BANDS: readonly string[] = [
  // Among the first two hundred words of English.
  `say go get make know think take see come want look use find give tell work call try ask need feel time year people way
   day man thing woman life child world school state family student group country problem hand part place case week company
   system program question government number night point home water room mother area money story fact month lot right study
   book eye job word business issue side kind head house service friend father power hour game line end member law car city
   name new good first last long great little old big high different small large next early young important few public bad
   able two three four five six seven eight nine ten many second third show leave put mean keep begin seem help turn start
   run move live believe hold bring happen write provide sit stand lose pay meet include continue set learn change lead`,
  // Common in any newspaper.
  `community president team minute idea kid body information nothing parent face level office door health person art war
   history party result morning reason research girl guy moment air teacher force education understand watch follow stop
   create speak read allow add spend grow open walk win offer remember love consider appear buy wait serve die send expect
   build stay fall cut reach kill remain suggest raise pass sell require report decide pull return explain hope develop
   carry break receive agree support hit produce eat cover catch draw choose cause close full short low possible real
   whole special clear recent certain personal open red difficult available likely single common poor natural simple hard
   late general main strong local best better sure true white black free past half today tomorrow yesterday ago later
   hundred thousand million table street church sea north south east west land ground town road field bank building king
   food plan interest death course experience behind according several around quickly usually sometimes probably soon`,
  // Common in descriptive and technical prose.
  `process increase product material order market policy value model account control data type action activity rate
   practice position section method term form figure record note date list detail example amount size length weight
   distance height speed temperature pressure surface edge top bottom front middle centre center inside outside upper
   lower wide deep heavy light dark cold hot warm dry wet soft sharp round flat thin thick rich quick slow safe
   original modern ancient former present current final complete separate similar direct main major minor whole equal
   describe measure compare test check note mark sign place remove replace fill empty join connect separate divide share
   protect prevent reduce improve increase rise drop press push throw lift drive ride sail fly cross travel arrive enter
   found establish design invent discover introduce publish print sign own belong depend contain consist involve relate
   member leader owner director manager officer worker maker user customer client partner author editor expert
   machine engine wheel ship boat train station bridge tower wall stone wood metal iron steel glass paper cloth
   river lake mountain hill island coast harbour harbor port sea ocean wind rain snow storm fire sun moon earth
   animal bird fish tree plant leaf flower fruit seed bread salt sugar oil milk meat meal
   letter message document report article page picture map chart number code key tool device equipment
   century decade period season spring summer autumn winter january february march april may june july august
   september october november december monday tuesday wednesday thursday friday saturday sunday
   army navy police court council society association institute university college library museum hospital factory
   attack defence defense security risk threat damage loss accident incident error failure fault
   network computer software file server user access account password email internet website
   group organisation organization company firm department agency region district village capital border
   thirty forty fifty sixty seventy eighty ninety eleven twelve twenty fifteen dozen once twice
   begin finish complete stop end last final result effect purpose aim reason cause role function`,
]

const bandOfWord = new Map<string, number>()
BANDS.forEach((band, index) => {
  for (const word of band.trim().split(/\s+/)) if (!bandOfWord.has(word)) bandOfWord.set(word, index)
})

/** Band of an everyday word (0: most frequent), or null for a rarer one. Takes the normal form. */
export function commonBand(norm: string): number | null {
  return bandOfWord.get(norm) ?? null
}

/** Every listed word with its band. */
export function commonWords(): Iterable<[string, number]> {
  return bandOfWord
}
