import { Button } from '@mantine/core'
import type { RefObject } from 'react'
import { type ChartFrame, framedText, pngBlob, svgText } from './chart-picture.ts'
import { notifyDone, notifyFailure } from './notify.ts'
import { saveFile } from './save-file.ts'

interface ChartExportProps {
  /** Something around the chart; its first SVG picture is saved. */
  around: RefObject<HTMLElement | null>
  /** File name without its ending. */
  name: string
  /** What the picture says around the chart; absent where the chart says it itself. */
  frame?: ChartFrame
}

async function save({ around, name, frame }: ChartExportProps, format: 'svg' | 'png'): Promise<string> {
  const chart = around.current?.querySelector('svg')
  if (!chart) throw new Error('there is no chart to save')
  const picture = frame === undefined ? svgText(chart) : framedText(chart, frame)
  const file = `${name.replace(/[^\w.-]+/g, '-')}.${format}`
  if (format === 'svg') saveFile(file, [picture.text], 'image/svg+xml')
  else saveFile(file, [await pngBlob(picture)], 'image/png')
  return file
}

/** Saves a chart as a picture. */
export function ChartExport(props: ChartExportProps) {
  const act = (format: 'svg' | 'png'): void =>
    void save(props, format).then(
      (file) => notifyDone(`Saved ${file}`),
      (error: unknown) => notifyFailure('Saving the chart', error),
    )
  return (['svg', 'png'] as const).map((format) => (
    <Button
      key={format}
      size="compact-xs"
      variant="default"
      aria-label={`Save the chart as ${format.toUpperCase()}`}
      onClick={() => act(format)}
    >
      {format.toUpperCase()}
    </Button>
  ))
}
