const ZERO_WIDTH = /\p{Mark}/u
/** East Asian wide and full-width blocks, and emoji that terminals draw over two columns. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

const widthOf = (character: string): number => (ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1)

/** Columns that a text without escape codes takes. */
export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}

/** At most `width` columns; what was cut off shows as `…`. */
export function shorten(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let kept = ''
  let used = 0
  for (const character of text) {
    used += widthOf(character)
    if (used > width - 1) break
    kept += character
  }
  return `${kept}…`
}

/** Exactly `width` columns: filled with blanks, or shortened. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const fitted = shorten(text, width)
  const blanks = ' '.repeat(width - displayWidth(fitted))
  return align === 'left' ? fitted + blanks : blanks + fitted
}

/** Words laid out in lines of at most `width` columns; later lines start with `indent`. A word that is too long is shortened. */
export function wrap(text: string, width: number, indent = ''): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const room = width - (lines.length === 0 ? 0 : displayWidth(indent))
    const longer = line === '' ? word : `${line} ${word}`
    if (displayWidth(longer) <= room) line = longer
    else {
      if (line !== '') lines.push(line)
      line = shorten(word, width - displayWidth(indent))
    }
  }
  if (line !== '') lines.push(line)
  return lines.map((each, index) => (index === 0 ? each : indent + each))
}

/** Rows of a name and its description, wrapped so that no line is wider than `columns`. */
export function helpTable(rows: readonly (readonly [string, string])[], nameWidth: number, columns: number): string[] {
  const indent = ' '.repeat(nameWidth + 3)
  // A column of a few letters would be harder to read than lines that are too long.
  const width = Math.max(30, columns - indent.length)
  return rows.map(([name, text]) => `  ${name.padEnd(nameWidth)} ${wrap(text, width).join(`\n${indent}`)}`)
}
