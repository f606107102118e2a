import { svgElement, svgText } from './chart-picture.ts'

const MARGIN = 24
const ROW = 22

/** A paragraph above the chart of a picture: its size in pixels and weight. */
export interface PictureText {
  text: string
  size: number
  weight: number
  isDim?: boolean
}

interface PicturePage {
  /** In pixels. */
  width: number
  texts: readonly PictureText[]
  chart: SVGSVGElement
  /** A table below the chart, its head first. */
  rows: readonly (readonly string[])[]
}

/** Breaks a text into lines of at most `width` pixels, as a canvas measures it in the font. */
function linesOf(text: string, width: number, font: string): string[] {
  const context = document.createElement('canvas').getContext('2d')!
  context.font = font
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && context.measureText(longer).width > width) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return line === '' ? lines : [...lines, line]
}

/** Texts, a chart of the page and a table as one SVG document on the page's surface, in the page's colours. */
export function picturePage({ width, texts, chart, rows }: PicturePage): {
  text: string
  width: number
  height: number
} {
  const { color, backgroundColor, fontFamily } = getComputedStyle(document.body)
  const dim = getComputedStyle(document.documentElement).getPropertyValue('--dim')
  const parts: Element[] = []
  let y = MARGIN
  for (const { text, size, weight, isDim = false } of texts) {
    for (const line of linesOf(text, width - 2 * MARGIN, `${weight} ${size}px ${fontFamily}`)) {
      y += Math.round(size * 1.35)
      const look = { fill: isDim ? dim : color, 'font-size': size, 'font-weight': weight }
      parts.push(svgElement('text', { x: MARGIN, y, ...look }, line))
    }
    y += 8
  }
  const inner = svgText(chart)
  const placed = new DOMParser().parseFromString(inner.text, 'image/svg+xml').documentElement
  placed.setAttribute('x', String((width - inner.width) / 2))
  placed.setAttribute('y', String(y))
  parts.push(placed)
  y += inner.height + 8
  // The first column holds names, the others figures of one width.
  const [names, step] = [200, (width - 2 * MARGIN - 200) / Math.max(1, (rows[0]?.length ?? 1) - 1)]
  for (const [number, row] of rows.entries()) {
    y += ROW
    for (const [column, cell] of row.entries()) {
      const place: Record<string, string | number> =
        column === 0 ? { x: MARGIN } : { x: MARGIN + names + column * step, 'text-anchor': 'end' }
      const look = { fill: number === 0 ? dim : color, 'font-size': 13, 'font-weight': number === 0 ? 550 : 400 }
      parts.push(svgElement('text', { y, ...place, ...look }, cell))
    }
  }
  const height = Math.ceil(y + MARGIN)
  const root = svgElement('svg', { width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': fontFamily })
  root.append(svgElement('rect', { width, height, fill: backgroundColor }), ...parts)
  return { text: new XMLSerializer().serializeToString(root), width, height }
}
