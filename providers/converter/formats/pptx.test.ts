import * as pptx from 'pptxgenjs'
import { expect, it } from 'vitest'
import { toMarkdown } from '../export/markdown.ts'
import { readPptx } from './pptx.ts'

it('a chart of a slide becomes a table of its numbers', async () => {
  // Its types describe a CommonJS module; what Node gives is the class itself.
  const PptxGenJS = pptx.default as unknown as typeof pptx.default.default
  const show = new PptxGenJS()
  const slide = show.addSlide()
  slide.addText('Traffic of the port', { x: 1, y: 0.3, w: 6, h: 0.5 })
  slide.addChart(
    show.ChartType.bar,
    [
      { name: 'In', labels: ['2023', '2024'], values: [40, 65] },
      { name: 'Out', labels: ['2023', '2024'], values: [38, 61] },
    ],
    { x: 1, y: 1, w: 6, h: 3, showTitle: true, title: 'Ships' },
  )
  const document = readPptx((await show.write({ outputType: 'nodebuffer' })) as Buffer)
  expect(toMarkdown(document)).toBe(
    'Traffic of the port\n\nShips\n\n|  | In | Out |\n| --- | --- | --- |\n| 2023 | 40 | 38 |\n| 2024 | 65 | 61 |\n',
  )
})
