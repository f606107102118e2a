import type { ReactNode } from 'react'

interface FigureListProps {
  figures: readonly (readonly [name: string, value: ReactNode])[]
  className: string | undefined
}

/** Figures of a page, each below its name. */
export const FigureList = ({ figures, className }: FigureListProps) => (
  <dl className={className}>
    {figures.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
