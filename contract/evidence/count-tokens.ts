/** Sets how many letters a subword tokenizer takes at once, roughly. */
const LETTERS_PER_TOKEN = 6
const DIGITS_PER_TOKEN = 3

/** An estimate of a text's size in a language model's tokens, for usage figures: no tokenizer agrees with another. */
export function countTokens(text: string): number {
  let count = 0
  for (let at = 0; at < text.length;) {
    const end = pieceEnd(text, at)
    count += tokensIn(text, at, end)
    at = end
  }
  return count
}

/** The longest start of a text that ends with a word and is estimated at no more than `limit` tokens; the text itself when all of it is. */
export function firstTokens(text: string, limit: number): string {
  let count = 0
  let lastWordEnd = 0
  for (let at = 0; at < text.length;) {
    const end = pieceEnd(text, at)
    const tokens = tokensIn(text, at, end)
    count += tokens
    if (count > limit) return text.slice(0, lastWordEnd)
    if (tokens > 0) lastWordEnd = end
    at = end
  }
  return text
}

type Kind = 'letter' | 'digit' | 'space' | 'sign'

const kindOf = (character: string): Kind => {
  if (/\p{L}/u.test(character)) return 'letter'
  if (/\p{N}/u.test(character)) return 'digit'
  return /\s/.test(character) ? 'space' : 'sign'
}

const ASCII: readonly Kind[] = Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)))

/** The kind of the character at `at`: prompts are long and mostly ASCII, which needs no pattern. */
const kindAt = (text: string, at: number): Kind =>
  ASCII[text.charCodeAt(at)] ?? kindOf(String.fromCodePoint(text.codePointAt(at)!))

const nextAt = (text: string, at: number): number => at + (text.codePointAt(at)! > 0xffff ? 2 : 1)

/** Returns where the run of letters, digits or blanks that begins at `at` ends; any other sign is a piece of its own. */
function pieceEnd(text: string, at: number): number {
  const kind = kindAt(text, at)
  let end = nextAt(text, at)
  while (kind !== 'sign' && end < text.length && kindAt(text, end) === kind) end = nextAt(text, end)
  return end
}

function tokensIn(text: string, at: number, end: number): number {
  const kind = kindAt(text, at)
  if (kind === 'space') return 0
  return Math.ceil((end - at) / (kind === 'letter' ? LETTERS_PER_TOKEN : DIGITS_PER_TOKEN))
}
