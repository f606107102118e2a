import { renderLine, type Look } from './progress/render-line.ts'

/** A message for a person, its lines broken to the terminal's width; an indented line stays indented. */
export function errorText(message: string, look: Look): string {
  const [first = '', ...others] = message.split('\n')
  return [
    renderLine({ sign: 'error:', tone: 'bad', text: first, note: null, indent: 0 }, look),
    ...others.map((line) => {
      const text = line.trimStart()
      return renderLine({ sign: null, tone: 'plain', text, note: null, indent: line.length - text.length }, look)
    }),
  ].join('\n')
}
