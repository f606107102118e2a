import type { Marker } from './approach-colours.ts'
import { markerPath } from './marker-path.ts'

const SVG = 'http://www.w3.org/2000/svg'

/** What the page says around a chart and its file has to say itself. */
export interface ChartFrame {
  title: string
  legend: readonly LegendEntry[]
}

export interface LegendEntry {
  label: string
  colour: string
  marker: Marker
  hollow: boolean
}

/** What the page's style sheets give to a chart; a picture that stands alone must carry it. */
const STYLES = [
  ...['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-opacity', 'opacity'],
  ...['font-family', 'font-size', 'font-weight', 'text-anchor', 'dominant-baseline', 'visibility'],
]

/** Pixels of a picture per pixel of the page. */
const SCALE = 2

/** A chart as an SVG document of its own: styles written into it, on the page's surface. */
export function svgText(chart: SVGSVGElement): { text: string; width: number; height: number } {
  const { width, height } = chart.getBoundingClientRect()
  const copy = chart.cloneNode(true) as SVGSVGElement
  const shown = [chart, ...chart.querySelectorAll('*')]
  for (const [index, element] of [copy, ...copy.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(shown[index]!)
    for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name))
    element.removeAttribute('class')
    element.removeAttribute('style')
  }
  copy.setAttribute('xmlns', SVG)
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  if (!copy.hasAttribute('viewBox')) copy.setAttribute('viewBox', `0 0 ${width} ${height}`)
  const [left, top, w, h] = copy.getAttribute('viewBox')!.split(/[\s,]+/)
  const ground = document.createElementNS(SVG, 'rect')
  const surface = getComputedStyle(document.body).backgroundColor
  for (const [name, value] of Object.entries({ x: left, y: top, width: w, height: h, fill: surface }))
    ground.setAttribute(name, value ?? '0')
  copy.prepend(ground)
  return { text: new XMLSerializer().serializeToString(copy), width, height }
}

const TITLE_HEIGHT = 32
const LEGEND_LINE = 20
const LEGEND_COLUMN = 190

function made(name: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const element = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  element.textContent = text
  return element
}

/** A chart as a picture with its title above and its legend below. */
export function framedText(
  chart: SVGSVGElement,
  { title, legend }: ChartFrame,
): { text: string; width: number; height: number } {
  const inner = svgText(chart)
  const { width } = inner
  const { color, backgroundColor, fontFamily } = getComputedStyle(document.body)
  const columns = Math.max(1, Math.floor(width / LEGEND_COLUMN))
  const below = TITLE_HEIGHT + inner.height
  const height = below + Math.ceil(legend.length / columns) * LEGEND_LINE + 8
  const placed = new DOMParser().parseFromString(inner.text, 'image/svg+xml').documentElement
  placed.setAttribute('y', String(TITLE_HEIGHT))
  const root = made('svg', { width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': fontFamily })
  const entries = legend.flatMap(({ label, colour, marker, hollow }, index) => {
    const x = 18 + (index % columns) * LEGEND_COLUMN
    const y = below + 10 + Math.floor(index / columns) * LEGEND_LINE
    const look = { fill: hollow ? 'none' : colour, stroke: colour, 'stroke-width': 2 }
    return [
      made('path', { d: markerPath(marker), transform: `translate(${x} ${y})`, ...look }),
      made('text', { x: x + 14, y: y + 4, fill: color, 'font-size': 12 }, label),
    ]
  })
  root.append(
    made('rect', { width, height, fill: backgroundColor }),
    made('text', { x: 12, y: 21, fill: color, 'font-size': 13, 'font-weight': 650 }, title),
    placed,
    ...entries,
  )
  return { text: new XMLSerializer().serializeToString(root), width, height }
}

/** The same as PNG bytes, twice as fine as on the page. Rejects when the browser cannot draw it. */
export async function pngBlob({ text, width, height }: ReturnType<typeof svgText>): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await image.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width: width * SCALE, height: height * SCALE })
  canvas.getContext('2d')!.drawImage(image, 0, 0, width * SCALE, height * SCALE)
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('the chart could not be drawn')) : resolve(blob))),
  )
}
