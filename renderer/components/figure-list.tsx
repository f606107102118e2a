/** Figures of a page, each below its name. */
export function FigureList({
  figures,
  className,
}: {
  figures: readonly (readonly [name: string, value: string | number])[]
  className: string | undefined
}) {
  return (
    <dl className={className}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
