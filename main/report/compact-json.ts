/** Objects and lists that fit stand on one line. */
const LINE_WIDTH = 220

/**
 * JSON that people can read and compare line by line, without a line for every number. Members that are undefined are left out. The bytes
 * depend on the value and the order of its keys only.
 */
export const compactJson = (value: unknown): string => textOf(value, '')

function textOf(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = Array.isArray(value)
    ? value.map((item: unknown) => textOf(item, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => `${JSON.stringify(key)}: ${textOf(member, inner)}`)
  if (parts.length === 0) return `${open}${close}`
  const pad = Array.isArray(value) ? '' : ' '
  const width = parts.reduce((sum, part) => sum + part.length + 2, indent.length + 2)
  const isFlat = width <= LINE_WIDTH && parts.every((part) => !part.includes('\n'))
  if (isFlat) return `${open}${pad}${parts.join(', ')}${pad}${close}`
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}
