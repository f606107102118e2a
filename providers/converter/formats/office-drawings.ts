import { strFromU8 } from 'fflate'
import { tidy, type Block, type Place } from '../model/document.ts'
import { tableOfRows } from '../model/table.ts'
import { child, descend, descendants, elements, parseXml, textOfXml, type XmlElement } from './xml.ts'

/** Categories of one chart that are read. */
const MAX_CATEGORIES = 10_000

/** A chart as a table of its numbers, a diagram as a list of its texts; nothing where the part is missing or damaged. */
export function drawingBlocks(part: Uint8Array | undefined, place: Place | null): Block[] {
  if (part === undefined) return []
  try {
    const root = parseXml(strFromU8(part))
    return root.name === 'c:chartSpace' ? chartBlocks(root, place) : diagramBlocks(root, place)
  } catch {
    return []
  }
}

function chartBlocks(root: XmlElement, place: Place | null): Block[] {
  const chart = child(root, 'c:chart')
  const title = tidy(
    descendants(child(chart, 'c:title') ?? { name: '', attributes: {}, children: [] }, 'a:t')
      .map((each) => textOfXml(each))
      .join(' '),
  )
  const series = descendants(root, 'c:ser').map((each) => ({
    name: [...points(child(each, 'c:tx')).values()].join(' '),
    categories: points(child(each, 'c:cat') ?? child(each, 'c:xVal')),
    values: points(child(each, 'c:val') ?? child(each, 'c:yVal')),
  }))
  const indexes = [...new Set(series.flatMap(({ categories, values }) => [...categories.keys(), ...values.keys()]))]
  const rows = indexes
    .sort((a, b) => a - b)
    .slice(0, MAX_CATEGORIES)
    .map((index) => [
      series.map(({ categories }) => categories.get(index)).find((text) => text !== undefined) ?? '',
      ...series.map(({ values }) => values.get(index) ?? ''),
    ])
  if (rows.length === 0) return title === '' ? [] : [{ kind: 'paragraph', text: title, place }]
  const table = tableOfRows([['', ...series.map(({ name }) => name)], ...rows], true, place)
  return [{ ...table, caption: title === '' ? null : title }]
}

/** Texts of a chart's cache by their index; one without points is a text of its own. */
function points(node: XmlElement | null): Map<number, string> {
  if (node === null) return new Map<number, string>()
  const found = descendants(node, 'c:pt')
  if (found.length === 0) {
    const text = tidy(textOfXml(descend(node, 'c:v') ?? node))
    return new Map<number, string>(text === '' ? [] : [[0, text]])
  }
  return new Map(
    found.map((each) => [Number(each.attributes['idx'] ?? 0), tidy(textOfXml(child(each, 'c:v') ?? each))]),
  )
}

function diagramBlocks(root: XmlElement, place: Place | null): Block[] {
  return descendants(root, 'dgm:pt').flatMap((point): Block[] => {
    const body = child(point, 'dgm:t')
    if (body === null) return []
    const text = tidy(
      elements(body)
        .map((paragraph) =>
          descendants(paragraph, 'a:t')
            .map((each) => textOfXml(each))
            .join(''),
        )
        .join(' '),
    )
    return text === '' ? [] : [{ kind: 'list_item', level: 0, ordered: false, text, place }]
  })
}
