const WIDTH = 120
const HEIGHT = 18

/** A line through values from 0 to their largest. The newest is at the right. */
export function Sparkline({ values, colour, label }: { values: number[]; colour: string; label: string }) {
  const top = Math.max(...values, 1)
  const points = values.map((value, index) => {
    const x = values.length < 2 ? WIDTH : (index / (values.length - 1)) * WIDTH
    return `${x.toFixed(1)},${(HEIGHT - 1 - (value / top) * (HEIGHT - 2)).toFixed(1)}`
  })
  return (
    <svg width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <polyline points={points.join(' ')} fill="none" stroke={colour} strokeWidth="1.5" />
    </svg>
  )
}
