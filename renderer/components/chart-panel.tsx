import { Button } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type ReactElement, type ReactNode, useRef } from 'react'
import { pngBlob, titledText } from './chart-picture.ts'
import { notifyDone, notifyFailure } from './notify.ts'
import { saveFile } from './save-file.ts'
import { Panel } from './states.tsx'

const WORDS = {
  save: (format: string) => `Save the chart as ${format}`,
  saved: (file: string) => `Saved ${file}`,
  saving: 'Saving the chart',
  noChart: 'there is no chart to save',
  chart: 'Chart',
} as const

interface ChartPanelProps {
  title: string
  /** Title of the saved picture, where it is more specific than the panel's. */
  pictureTitle?: string
  aside?: ReactNode
  /** Of the saved picture, without its ending. */
  fileName: string
  /** Nothing to save yet. */
  isEmpty: boolean
  children: ReactNode
}

/** A panel whose first chart can be saved as a picture. */
export function ChartPanel({ title, pictureTitle = title, aside, fileName, isEmpty, children }: ChartPanelProps) {
  const around = useRef<HTMLDivElement>(null)
  const save = async (format: 'SVG' | 'PNG'): Promise<string> => {
    const chart = around.current?.querySelector('svg[role=img]')
    if (!(chart instanceof SVGSVGElement)) throw new Error(WORDS.noChart)
    const picture = titledText(chart, pictureTitle)
    const file = `${fileName.replace(/[^\w.-]+/g, '-')}.${format.toLowerCase()}`
    if (format === 'SVG') saveFile(file, [picture.text], 'image/svg+xml')
    else saveFile(file, [await pngBlob(picture)], 'image/png')
    return file
  }
  const saveButton = (format: 'SVG' | 'PNG') => (
    <Button
      size="compact-xs"
      aria-label={WORDS.save(format)}
      onClick={() =>
        void save(format).then(
          (file) => notifyDone(WORDS.saved(file)),
          (error: unknown) => notifyFailure(WORDS.saving, error),
        )
      }
    >
      {format}
    </Button>
  )
  return (
    <Panel
      title={title}
      aside={
        <>
          {aside}
          {!isEmpty && saveButton('SVG')}
          {!isEmpty && saveButton('PNG')}
        </>
      }
    >
      <div ref={around}>{children}</div>
    </Panel>
  )
}

/** Narrower, names and axes leave no room for the figures: the chart scrolls. */
const MIN_WIDTH = 480
const MAX_WIDTH = 1000

/** Draws a chart as wide as its place. */
export function ChartBox({ draw }: { draw: (width: number) => ReactElement }) {
  const { ref, width } = useElementSize<HTMLDivElement>()
  // A part that scrolls must be reachable by keyboard.
  const scrolling =
    width > 0 && width < MIN_WIDTH
      ? { style: { overflowX: 'auto' as const }, tabIndex: 0, role: 'region', 'aria-label': WORDS.chart }
      : {}
  return (
    <div ref={ref} {...scrolling}>
      {width > 0 && draw(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.floor(width))))}
    </div>
  )
}
