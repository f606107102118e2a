/** A body that the library reads whole, and what was left out of it. */
export interface ReadableBody {
  xml: string
  /** Words whose reading (furigana) was left out. */
  readings: number
  /** Runs of hidden text that were left out. */
  hidden: number
}

/** Marks around the relation of a chart or diagram, put into the text in place of its drawing. */
export const DRAWING_MARK = '\u{E003}'

/**
 * Moves what the library would skip to where it reads: text boxes after the paragraph that they are anchored in, the content of fields and of
 * direction marks, the base text of furigana. Charts and diagrams leave a mark with the relation of their part.
 */
export function readableBody(body: string, styles = ''): ReadableBody {
  let readings = 0
  const shown = withoutHidden(textBoxesOut(body, 0), styles)
  const flat = shown.xml.replaceAll(/<\/?w:(?:fldSimple|dir|bdo)(?:\s[^>]*)?>/g, '')
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
  return { xml, readings, hidden: shown.hidden }
}

const VANISH = /<w:vanish(?:\s+w:val="(?:1|true|on)")?\s*\/>/

/** Takes out the runs that Word hides, by their own settings or those of a style; marks of fields stay. */
function withoutHidden(body: string, styles: string): { xml: string; hidden: number } {
  const hiding = new Set<string>()
  replaceElements(styles, 'w:style', (inner, whole) => {
    const [, id] = /w:styleId="([^"]*)"/.exec(whole) ?? []
    if (id !== undefined && VANISH.test(inner)) hiding.add(id)
    return ''
  })
  if (hiding.size === 0 && !VANISH.test(body)) return { xml: body, hidden: 0 }
  const names = (xml: string, element: string): boolean =>
    hiding.has(new RegExp(`<w:${element}\\s[^>]*w:val="([^"]*)"`).exec(xml)?.[1] ?? '')
  let hidden = 0
  const xml = replaceElements(body, 'w:p', (paragraph, whole) => {
    const isHidden = names(/<w:pPr[\s>][\s\S]*?<\/w:pPr>/.exec(paragraph)?.[0] ?? '', 'pStyle')
    if (!isHidden && !VANISH.test(paragraph) && !paragraph.includes('<w:rStyle')) return whole
    return replaceElements(whole, 'w:r', (run, runWhole) => {
      const settings = /^\s*<w:rPr[\s>][\s\S]*?<\/w:rPr>/.exec(run)?.[0] ?? ''
      if (!isHidden && !VANISH.test(settings) && !names(settings, 'rStyle')) return runWhole
      if (run.includes('<w:t>') || run.includes('<w:t ')) hidden += 1
      return replaceElements(runWhole, 'w:t', () => '')
    })
  })
  return { xml, hidden }
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
