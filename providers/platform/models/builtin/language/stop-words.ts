/** Words that carry grammar rather than content, with question words and the verbs that only build tenses. */
const STOP_WORDS = new Set(
  `a about above across after again against all almost along already also although always am among an and another any
anybody anyone anything are aren't around as at away back be became because become been before being below between both
but by can can't cannot could couldn't did didn't do does doesn't doing don't done down during each either else enough
etc even ever every everybody everyone everything few for from further had hadn't has hasn't have haven't having he
he'd he'll he's hence her here hers herself him himself his how however i i'd i'll i'm i've if in indeed instead into
is isn't it it's its itself just least less let like many may me might mine more most much must mustn't my myself
neither never no nobody none nor not nothing now of off often on once one ones only onto or other others otherwise ought
our ours ourselves out over own per perhaps please quite rather same shall she she'd she'll she's should shouldn't since
so some somebody someone something still such than that that's the their theirs them themselves then there there's
therefore these they they'd they'll they're they've this those though through throughout thus to together too toward
towards under unless until up upon us very via was wasn't we we'd we'll we're we've well were weren't what what's
whatever when where whereas whether which while who who's whom whose why will with within without won't would wouldn't
yet you you'd you'll you're you've your yours yourself yourselves`.split(/\s+/),
)

/** True for a word in normal form that has nothing to do with the subject. */
export function isStopWord(norm: string): boolean {
  return STOP_WORDS.has(norm)
}

/** True for words that may be part of a date and are capitalized for that alone. */
export function isCalendarWord(word: string): boolean {
  return /^(?:january|february|march|april|may|june|july|august|september|october|november|december|mon|tues|wednes|thurs|fri|satur|sun)(?:day|days)?$/i.test(
    word,
  )
}
