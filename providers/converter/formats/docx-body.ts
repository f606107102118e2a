/** A body that the library reads whole, and what was left out of it. */
export interface ReadableBody {
  xml: string
  /** Words whose reading (furigana) was left out. */
  readings: number
}

/** Marks around the relation of a chart or diagram, put into the text in place of its drawing. */
export const DRAWING_MARK = '\u{E003}'

/**
 * Moves what the library would skip to where it reads: text boxes after the paragraph that they are anchored in, the content of fields and of
 * direction marks, the base text of furigana. Charts and diagrams leave a mark with the relation of their part.
 */
export function readableBody(body: string): ReadableBody {
  let readings = 0
  const flat = textBoxesOut(body, 0).replaceAll(/<\/?w:(?:fldSimple|dir|bdo)(?:\s[^>]*)?>/g, '')
  const withBase = replaceElements(flat, 'w:ruby', (inner) => {
    readings += 1
    let base = ''
    replaceElements(inner, 'w:rubyBase', (runs) => {
      replaceElements(runs, 'w:t', (text) => ((base += text), ''))
      return ''
    })
    return `<w:t xml:space="preserve">${base}</w:t>`
  })
  const xml = replaceElements(withBase, 'w:drawing', (inner, whole) => {
    const relation =
      /<c:chart\s[^>]*r:id="([^"]+)"/.exec(inner)?.[1] ?? /<dgm:relIds\s[^>]*r:dm="([^"]+)"/.exec(inner)?.[1]
    return relation === undefined ? whole : `<w:t>${DRAWING_MARK}${relation}${DRAWING_MARK}</w:t>`
  })
  return { xml, readings }
}

/** Text with the elements of a name replaced; they must not be nested. In one pass, also over markup that is not well-formed. */
export function replaceElements(xml: string, name: string, change: (inner: string, whole: string) => string): string {
  const [open, close] = [`<${name}`, `</${name}>`]
  let out = ''
  let at = 0
  for (;;) {
    let from = xml.indexOf(open, at)
    while (from >= 0 && !/[\s/>]/.test(xml[from + open.length] ?? '>')) from = xml.indexOf(open, from + 1)
    const startEnd = from < 0 ? -1 : xml.indexOf('>', from)
    if (startEnd < 0) break
    if (xml[startEnd - 1] === '/') {
      out += xml.slice(at, startEnd + 1)
      at = startEnd + 1
      continue
    }
    const end = xml.indexOf(close, startEnd)
    if (end < 0) break
    out += xml.slice(at, from) + change(xml.slice(startEnd + 1, end), xml.slice(from, end + close.length))
    at = end + close.length
  }
  return out + xml.slice(at)
}

const STRUCTURE = /<(\/?)(w:p|w:txbxContent|mc:AlternateContent|mc:Fallback)(?=[\s/>])[^>]*>/g
/** Text boxes within text boxes. */
const MAX_BOX_DEPTH = 20

/** Moves the content of text boxes after the paragraph that they are anchored in. Word writes each twice, the second time for old programs. */
function textBoxesOut(xml: string, depth: number): string {
  if (!xml.includes('<w:txbxContent') || depth > MAX_BOX_DEPTH) return xml
  let out = ''
  let at = 0
  let paragraphs = 0
  let boxDepth = 0
  let boxStart = 0
  let boxes = ''
  const alternatives: { hasBox: boolean; isFallback: boolean }[] = []
  for (const match of xml.matchAll(STRUCTURE)) {
    const [tag, slash, name] = match
    const isClose = slash === '/'
    if (tag.endsWith('/>')) continue
    if (name === 'w:txbxContent') {
      boxDepth += isClose ? -1 : 1
      if (!isClose && boxDepth === 1) {
        out += xml.slice(at, match.index)
        boxStart = match.index + tag.length
      }
      if (isClose && boxDepth === 0) {
        const within = alternatives.at(-1)
        if (within?.isFallback !== true || !within.hasBox)
          boxes += textBoxesOut(xml.slice(boxStart, match.index), depth + 1)
        if (within !== undefined && !within.isFallback) within.hasBox = true
        at = match.index + tag.length
      }
      continue
    }
    if (boxDepth > 0) continue
    if (name === 'mc:AlternateContent') {
      if (isClose) alternatives.pop()
      else alternatives.push({ hasBox: false, isFallback: false })
    } else if (name === 'mc:Fallback') {
      const within = alternatives.at(-1)
      if (within !== undefined) within.isFallback = !isClose
    } else {
      paragraphs += isClose ? -1 : 1
      if (isClose && paragraphs === 0 && boxes !== '') {
        out += xml.slice(at, match.index + tag.length) + boxes
        at = match.index + tag.length
        boxes = ''
      }
    }
  }
  return out + xml.slice(at)
}
