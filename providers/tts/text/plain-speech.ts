const SPOKEN_SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u2032]/g, "'"],
  [/[\u201c\u201d\u201e\u00ab\u00bb\u2033]/g, '"'],
  [/\s*[\u2013\u2014\u2212]\s*/g, ', '],
  [/\u2026/g, '...'],
  [/\u00df/g, 'ss'],
  [/[\u00e6\u00c6]/g, 'ae'],
  [/[\u00f8\u00d8]/g, 'o'],
  [/[\u0142\u0141]/g, 'l'],
  [/\u20ac\s?/g, ' euros '],
  [/\u00a3\s?/g, ' pounds '],
  [/\u00b0/g, ' degrees '],
  [/\u00d7/g, ' times '],
  [/[\u00b1]/g, ' plus or minus '],
]

/** The text without what is written for the eye: markdown emphasis, code fences, heading and list signs, link targets and emoji. */
export function withoutMarkup(text: string): string {
  return text
    .replace(/```[^\n]*\n?/g, '')
    .replace(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|[-*+>])[ \t]+/gm, '')
    .replace(/(\*\*|__|~~|`)(?=\S)(.+?)\1/g, '$2')
    .replace(/(?<![\w*])[*_](?=\S)([^*_\n]+?)[*_](?![\w*])/g, '$1')
    .replace(/\p{Extended_Pictographic}(?:\u200d\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)*/gu, '')
    .replace(/[ \t]+/g, ' ')
    .trim()
}

/** The text in plain ASCII for a synthesiser that knows no other letters: accents dropped, signs in words. */
export function toAscii(text: string): string {
  let plain = text
  for (const [sign, words] of SPOKEN_SIGNS) plain = plain.replace(sign, words)
  return plain
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
}

/** Whether English voices can say anything of it: a Latin letter or a digit is left of it. */
export function isSpeakable(text: string): boolean {
  return /[A-Za-z0-9]/.test(toAscii(text))
}
