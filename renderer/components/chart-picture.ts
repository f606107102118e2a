const SVG = 'http://www.w3.org/2000/svg'

/** The page's style sheets give these to a chart; a picture on its own must carry it. */
const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-opacity',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
  'visibility',
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

export function svgElement(name: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const element = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  element.textContent = text
  return element
}

/** A chart as a picture with its title above, which the page writes around the chart. */
export function titledText(chart: SVGSVGElement, title: string): { text: string; width: number; height: number } {
  const inner = svgText(chart)
  const { width } = inner
  const height = TITLE_HEIGHT + inner.height
  const { color, backgroundColor, fontFamily } = getComputedStyle(document.body)
  const placed = new DOMParser().parseFromString(inner.text, 'image/svg+xml').documentElement
  placed.setAttribute('y', String(TITLE_HEIGHT))
  const root = svgElement('svg', { width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': fontFamily })
  root.append(
    svgElement('rect', { width, height, fill: backgroundColor }),
    svgElement('text', { x: 12, y: 21, fill: color, 'font-size': 13, 'font-weight': 650 }, title),
    placed,
  )
  return { text: new XMLSerializer().serializeToString(root), width, height }
}

/** The same as PNG bytes, twice as fine as on the page. Rejects when the browser cannot draw it. */
export async function pngBlob({ text, width, height }: ReturnType<typeof titledText>): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await image.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width: width * SCALE, height: height * SCALE })
  canvas.getContext('2d')!.drawImage(image, 0, 0, width * SCALE, height * SCALE)
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('the chart could not be drawn')) : resolve(blob))),
  )
}
