const SMALL_WORDS = new Set([
  'of',
  'the',
  'and',
  'for',
  'in',
  'on',
  'at',
  'to',
  'de',
  'la',
  'le',
  'du',
  'da',
  'di',
  'von',
  'van',
  'der',
  'a',
  'an',
])

/** Abbreviations that are only another spelling of the same name. */
const SPELLED_OUT: Partial<Record<string, string>> = {
  '&': 'and',
  co: 'company',
  corp: 'corporation',
  inc: 'incorporated',
  ltd: 'limited',
  bros: 'brothers',
}

/** A name as it is compared: no case, accents, punctuation, possessive or leading article. Empty for a name without letters or digits. */
export function normalName(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/['’]s(?![\p{L}\p{N}])/gu, '')
    .replace(/['’.]/gu, '')
    .replace(/[^\p{L}\p{N}&+#]+/gu, ' ')
    .trim()
    .split(' ')
  while (words.length > 1 && /^(?:the|a|an)$/.test(words[0]!)) words.shift()
  return words.map((word) => SPELLED_OUT[word] ?? word).join(' ')
}

/** The words of a name in normal form. */
export function nameWords(name: string): string[] {
  const normal = normalName(name)
  return normal === '' ? [] : normal.split(' ')
}

/** True when the letters of an acronym are the initials of a name's words, small words taken or left out. */
export function isAcronymOf(acronym: string, name: string): boolean {
  const letters = acronym
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
  const words = name.split(/[\s-]+/u).flatMap((word) => nameWords(word).slice(0, 1))
  if (letters.length < 2 || words.length < 2) return false
  return initialsMatch(letters, words, 0, 0)
}

function initialsMatch(letters: string, words: readonly string[], letter: number, word: number): boolean {
  if (word === words.length) return letter === letters.length
  if (words[word]!.startsWith(letters[letter] ?? ' ') && initialsMatch(letters, words, letter + 1, word + 1))
    return true
  return SMALL_WORDS.has(words[word]!) && initialsMatch(letters, words, letter, word + 1)
}
