/** A word of a text. `glued` means that only white space is between it and the word before, in the same sentence. */
export interface Token {
  text: string
  lower: string
  stem: string
  stop: boolean
  glued: boolean
  /** First word of its sentence, or any word of a heading: a capital letter there means little. */
  weakCapital: boolean
}

export type Sentence = Token[]

const WORD = /[\p{L}\p{N}]+(?:[-_'’./:][\p{L}\p{N}]+)*/gu
const ABBREVIATION =
  /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|No|Nos|vs|approx|ca|cf|e\.g|i\.e|p|pp|Fig|Vol|Ltd|Inc|Co|\p{Lu})\.$/u
/** More than any abbreviation with what comes before it. */
const ABBREVIATION_CHARS = 16
const OWN_LINE = /^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|\||>)/
const HEADING = /^\s*#{1,6}\s|^\s*\*\*[^*]{1,80}\*\*\s*$/

/** Paragraphs as they were meant: wrapped lines are joined; headings, list items and table rows are blocks of their own. */
function blocks(text: string): string[] {
  const result: string[] = []
  let open = false
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') open = false
    else if (open && !OWN_LINE.test(line)) result.push(`${result.pop() ?? ''} ${line}`)
    else {
      result.push(line)
      open = !HEADING.test(line) && !line.trimStart().startsWith('|')
    }
  }
  return result
}

function sentencesOf(block: string): string[] {
  const result: string[] = []
  let start = 0
  for (const match of block.matchAll(/(?<![.!?])[.!?]+["'”’)\]*_]*\s+(?=["'“‘([*_]*[\p{Lu}\p{N}])/gu)) {
    const end = match.index + match[0].length
    const tail = Math.max(start, match.index - ABBREVIATION_CHARS)
    if (ABBREVIATION.test(block.slice(tail, match.index + 1))) continue
    result.push(block.slice(start, end))
    start = end
  }
  result.push(block.slice(start))
  return result
}

function tokensOf(sentence: string, heading: boolean): Sentence {
  const tokens: Token[] = []
  let end = -1
  for (const match of sentence.matchAll(WORD)) {
    const text = match[0]
    const lower = text.toLowerCase()
    const between = end === -1 ? '' : sentence.slice(end, match.index)
    tokens.push({
      text,
      lower,
      stem: stem(lower),
      stop: isStopWord(lower),
      glued: end !== -1 && /^\s+$/.test(between),
      weakCapital: heading || end === -1,
    })
    end = match.index + text.length
  }
  return tokens
}

/** A text as sentences of words, in order; sentences without a word are left out. */
export function readSentences(text: string): Sentence[] {
  return blocks(text).flatMap((block) => {
    const heading = HEADING.test(block)
    return sentencesOf(block)
      .map((sentence) => tokensOf(sentence, heading))
      .filter((tokens) => tokens.length > 0)
  })
}

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

function isStopWord(lower: string): boolean {
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
