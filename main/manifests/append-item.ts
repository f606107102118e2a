import { isSeq, parseDocument, stringify } from 'yaml'
import { canonicalJson } from '../../contract/index.ts'
import { parseYaml } from './load-manifest.ts'
import { ManifestError } from './manifest-error.ts'

/** End of the line on which the text before `offset` ends, blank lines not counted. */
function endOfLine(text: string, offset: number): number {
  const last = text.slice(0, offset).trimEnd().length
  const end = text.indexOf('\n', last)
  return end === -1 ? text.length : end
}

/**
 * The text of a YAML file with one more item at the end of the list `key`; comments and the layout of everything else stay as they were written
 * them. Throws `ManifestError` when there is no such list or anything else would change.
 */
export function withItem(text: string, file: string, key: string, item: object): string {
  const before = parseYaml(file, text) as Record<string, unknown>
  const list = parseDocument(text).get(key)
  const [first, last] = isSeq(list) && list.flow !== true ? [list.items[0], list.items.at(-1)] : []
  const [from, to] = [rangeOf(first)?.[0], rangeOf(last)?.[1]]
  if (from === undefined || to === undefined)
    throw new ManifestError(file, [`${key}: is not a list with one item per line, so nothing can be added to it`])
  const indent = /^[ ]*/.exec(text.slice(text.lastIndexOf('\n', from - 1) + 1))![0]
  const added = stringify([item], { lineWidth: 0, singleQuote: true })
    .trimEnd()
    .split('\n')
    .map((line) => indent + line)
    .join('\n')
  const at = endOfLine(text, to)
  const updated = `${text.slice(0, at)}\n${added}${text.slice(at) || '\n'}`
  const expected = { ...before, [key]: [...(before[key] as unknown[]), item] }
  if (canonicalJson(parseYaml(file, updated)) !== canonicalJson(expected))
    throw new ManifestError(file, [`${key}: an item cannot be added without changing something else`])
  return updated
}

const rangeOf = (node: unknown): [number, number, number] | null | undefined =>
  (node as { range?: [number, number, number] | null } | undefined)?.range
