import { type ReactNode, useRef } from 'react'
import { ChartExport } from '../../components/chart-export.tsx'
import type { LegendEntry } from '../../components/chart-picture.ts'
import { Panel } from '../../components/states.tsx'

interface ChartPanelProps {
  title: string
  aside?: ReactNode
  /** Of the saved picture, without its ending. */
  fileName: string
  legend: readonly LegendEntry[]
  /** Nothing to save yet. */
  isEmpty: boolean
  children: ReactNode
}

/** A panel whose chart can be saved as a picture. */
export function ChartPanel({ title, aside, fileName, legend, isEmpty, children }: ChartPanelProps) {
  const around = useRef<HTMLDivElement>(null)
  return (
    <Panel
      title={title}
      aside={
        <>
          {aside}
          {!isEmpty && <ChartExport around={around} name={fileName} frame={{ title, legend }} />}
        </>
      }
    >
      <div ref={around}>{children}</div>
    </Panel>
  )
}
