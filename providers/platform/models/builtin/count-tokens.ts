const PIECE = /\p{L}+|\p{N}+|[^\s\p{L}\p{N}]/gu

/** How many letters a subword tokenizer takes at once, roughly. */
const LETTERS_PER_TOKEN = 6
const DIGITS_PER_TOKEN = 3

/** An estimate of a text's size in a language model's tokens, for usage figures: no tokenizer agrees with another. */
export function countTokens(text: string): number {
  let count = 0
  for (const [piece] of text.matchAll(PIECE)) count += tokensOf(piece)
  return count
}

/** The longest start of a text that ends with a word and is estimated at no more than `limit` tokens; the text itself when all of it is. */
export function firstTokens(text: string, limit: number): string {
  let count = 0
  let end = 0
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    count += tokensOf(piece)
    if (count > limit) return text.slice(0, end)
    end = index + piece.length
  }
  return text
}

function tokensOf(piece: string): number {
  return Math.ceil(piece.length / (/\p{L}/u.test(piece) ? LETTERS_PER_TOKEN : DIGITS_PER_TOKEN))
}
