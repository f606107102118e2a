/**
 * English text in one spelling, for counting errors of words and not of spelling: without case and signs, contractions written out, fillers left
 * out, British spellings as American ones, as word error rates of recognizers are usually counted. Both sides of a comparison go through it.
 */
export function normalizedWords(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/[’‘]/g, "'")
    .replace(/ '(s|t|re|ve|ll|d|m)\b/g, "'$1")
    .replace(/\b(twen|thir|for|fif|six|seven|eigh|nine)ty's\b/g, '$1ties')
    .replace(/\b(won|can|shan)'t\b/g, (_, stem: string) => `${{ won: 'will', can: 'can', shan: 'shall' }[stem]!} not`)
    .replace(/n't\b/g, ' not')
    .replace(/'(re|ve|ll|m)\b/g, (_, end: string) => ` ${{ re: 'are', ve: 'have', ll: 'will', m: 'am' }[end]!}`)
    .replace(
      /\b(it|he|she|that|there|what|who|let)'s\b/g,
      (_, word: string) => `${word} ${word === 'let' ? 'us' : 'is'}`,
    )
    .replace(/\b(mister|missus|doctor|saint)\b/g, (word) => TITLES[word]!)
    .replace(/\b(uh|um|hmm|mm)\b/g, ' ')
    .replace(/[^a-z0-9' ]/g, ' ')
    .split(/\s+/)
    .map((word) => word.replace(/^'+|'+$/g, ''))
    .filter((word) => word !== '')
    .map(american)
}

const TITLES: Readonly<Record<string, string>> = { mister: 'mr', missus: 'mrs', doctor: 'dr', saint: 'st' }

const WHOLE: Readonly<Record<string, string>> = {
  grey: 'gray',
  tyre: 'tire',
  tyres: 'tires',
  kerb: 'curb',
  storey: 'story',
  storeys: 'stories',
  draught: 'draft',
  draughts: 'drafts',
  cheque: 'check',
  cheques: 'checks',
  programme: 'program',
  programmes: 'programs',
  aluminium: 'aluminum',
  sulphur: 'sulfur',
  woollen: 'woolen',
  jewellery: 'jewelry',
  defence: 'defense',
  licence: 'license',
  practise: 'practice',
  axe: 'ax',
  okay: 'ok',
}

/** Stems whose British form differs in the same way in every ending. */
const STEMS: readonly (readonly [RegExp, string])[] = [
  [/^(col|fav|lab|harb|neighb|behavi|hon|hum|vap|arm|vig|rum|sav|flav|od)our/, '$1or'],
  [/^((?:kilo|centi|milli|deci|micro)?met|(?:milli)?lit|cent|theat|fib|calib|spect|sab)re(s?)$/, '$1er$2'],
  [/^(mo)uld/, '$1ld'],
  [/^(sm)oulder/, '$1older'],
  [/^plough/, 'plow'],
  [/^(travel|cancel|model|label|signal|channel|level|panel|fuel|tunnel)l(ed|ing|er|ers)$/, '$1$2'],
  [
    /^(organ|real|recogn|special|standard|character|util|normal|minim|maxim|mechan|modern|galvan|crystall|stabil|neutral|steril)is(e[drs]?|ing|ation)/,
    '$1iz$2',
  ],
  [/^(anal|paral)ys(e[drs]?|ing)$/, '$1yz$2'],
  [/^(catal|dial|anal)ogue/, '$1og'],
]

function american(word: string): string {
  const whole = WHOLE[word]
  if (whole !== undefined) return whole
  for (const [stem, spelling] of STEMS) if (stem.test(word)) return word.replace(stem, spelling)
  return word
}
