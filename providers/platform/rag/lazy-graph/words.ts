/** Words that carry structure, not subject; also the short verbs and pronouns of questions. */
const STOP_WORDS = new Set(
  `a about above across after afterwards again against all almost alone along already also although always am among an and another
  any anybody anyone anything anywhere are around as at away back be became because become becomes been before behind being below
  beside besides between beyond both but by came can cannot come comes could did do does doing done down due during each either else
  elsewhere enough especially etc even ever every everyone everything except far few first for former from further gave get gets give
  given gives go goes gone got had has have having he hence her here hers herself him himself his how however i if in indeed instead
  into is it its itself just kept last later latter least less let like little long made mainly make makes making many may me
  meanwhile might mine more moreover most mostly much must my myself namely near nearly neither never nevertheless next no nobody
  none nonetheless nor not nothing now nowhere of off often on once one only onto or other others otherwise our ours ourselves out
  over own per perhaps put quite rather really same say says second see seem seemed seems seen several shall she should shown since
  so some somebody someone something sometimes somewhere soon still such take taken takes than that the their theirs them themselves
  then thence there therefore these they third this those though three through throughout thus to together too took toward towards
  two under unless until up upon us use used uses using usually very via was way we well went were what whatever when whenever where
  whereas wherever whether which while who whoever whole whom whose why will with within without would yet you your yours yourself
  mr mrs ms dr st today yesterday tomorrow tell name names called known according january february march april may june july august
  september october november december monday tuesday wednesday thursday friday saturday sunday`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

export function isStopWord(lower: string): boolean {
  return STOP_WORDS.has(lower)
}

const undouble = (word: string): string => word.replace(/([bdfgmnprt])\1$/, '$1')

/**
 * A word's stem: plural, possessive, -ed and -ing are cut, so that "supplied", "supplies" and "supply" meet. Rough on purpose: both
 * sides of a comparison go through it.
 */
export function stem(lower: string): string {
  let word = lower.replace(/['’]s?$/, '')
  if (word.length <= 3 || !/^\p{L}+$/u.test(word)) return word
  if (word.endsWith('ies') || word.endsWith('ied')) word = `${word.slice(0, -3)}y`
  else if (/(?:ss|sh|ch|x|z)es$/.test(word)) word = word.slice(0, -2)
  else if (/[^su]s$/.test(word) && !word.endsWith('is')) word = word.slice(0, -1)
  if (word.length > 5 && word.endsWith('ing')) word = undouble(word.slice(0, -3))
  else if (word.length > 4 && word.endsWith('ed')) word = undouble(word.slice(0, -2))
  return word.length > 4 ? word.replace(/e$/, '') : word
}
