/** An element of a page: its name, its attributes with entities resolved, and the text directly in it. */
export interface ReadElement {
  tag: string
  attributes: Map<string, string>
  text: string
}

const VOID = new Set(['meta', 'br', 'hr', 'link', 'col'])
const RAW = new Set(['script', 'style'])
const TAG = /<(\/?)([a-zA-Z][\w-]*)((?:\s+[^\s"'<>/=]+(?:="[^"<]*")?)*)\s*>/y
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" }

/** Resolves the five entities of our pages. Throws for any other use of `&`. */
export const unescaped = (text: string): string =>
  text.replace(/&([^;&\s]{0,10};)?/g, (whole, name?: string) => {
    const known = name === undefined ? undefined : ENTITIES[name.slice(0, -1)]
    if (known === undefined) throw new Error(`a bare & in ${JSON.stringify(whole)}`)
    return known
  })

/**
 * Reads a page strictly: every tag closed in order, every attribute quoted, no `<` or `&` in a text, ids unique. Throws with the place where
 * it is not so.
 */
export function readHtml(page: string): ReadElement[] {
  const start = '<!doctype html>\n'
  if (!page.startsWith(start)) throw new Error('no doctype')
  const elements: ReadElement[] = []
  const open: ReadElement[] = []
  const ids = new Set<string>()
  let at = start.length
  const fail = (what: string): Error => new Error(`${what} at ${at}: ${page.slice(at, at + 60)}`)
  while (at < page.length) {
    if (page[at] !== '<') {
      const end = page.indexOf('<', at)
      const text = unescaped(page.slice(at, end === -1 ? page.length : end))
      const parent = open.at(-1)
      if (parent !== undefined) parent.text += text
      else if (text.trim() !== '') throw fail('text outside')
      at = end === -1 ? page.length : end
      continue
    }
    TAG.lastIndex = at
    const match = TAG.exec(page)
    if (match === null) throw fail('no tag')
    const [whole, slash, tag, rest] = match as unknown as [string, string, string, string]
    if (slash !== '') {
      const last = open.pop()
      if (last?.tag !== tag) throw fail(`</${tag}> closes <${last?.tag}>`)
      at += whole.length
      continue
    }
    const pairs = Array.from(
      rest.matchAll(/([^\s="]+)(?:="([^"]*)")?/g),
      ([, name, value]) => [name!, unescaped(value ?? '')] as const,
    )
    const element: ReadElement = { tag, attributes: new Map(pairs), text: '' }
    if (element.attributes.size !== pairs.length) throw fail('an attribute twice')
    const id = element.attributes.get('id')
    if (id !== undefined && ids.has(id)) throw fail(`the id ${id} twice`)
    if (id !== undefined) ids.add(id)
    elements.push(element)
    at += whole.length
    if (RAW.has(tag)) {
      const end = page.indexOf(`</${tag}>`, at)
      element.text = page.slice(at, end)
      at = end + tag.length + 3
    } else if (!VOID.has(tag)) open.push(element)
  }
  if (open.length > 0) throw new Error(`not closed: ${open.map(({ tag }) => tag).join(', ')}`)
  return elements
}
