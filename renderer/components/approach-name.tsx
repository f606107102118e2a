import type { BaseApproach } from '../../contract/common.ts'
import { lookOf, type Marker } from './approach-colours.ts'
import styles from './approach-name.module.css'

const SHAPES: Record<Marker, string> = {
  square: 'M2 2h8v8H2z',
  circle: 'M6 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z',
  diamond: 'M6 .8 11.2 6 6 11.2.8 6z',
  triangle: 'M6 1.2 11.2 10.6H.8z',
  pentagon: 'M6 .9 11.2 4.8 9.2 10.9H2.8L.8 4.8z',
  cross: 'M4.2 1h3.6v3.2H11v3.6H7.8V11H4.2V7.8H1V4.2h3.2z',
  hexagon: 'M3.2 1.2h5.6L11.6 6 8.8 10.8H3.2L.4 6z',
}

/** The approach's marker in its colour; hollow for a flavor. */
export function ApproachMarker({ alias, base }: { alias: string; base?: BaseApproach | null }) {
  const { colour, marker, flavor } = lookOf(alias, base ?? undefined)
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true" className={styles.marker}>
      <path d={SHAPES[marker]} fill={flavor ? 'none' : colour} stroke={colour} strokeWidth={flavor ? 2 : 0.5} />
    </svg>
  )
}

/** Marker and name of an approach; `short` leaves out what all of them share. */
export function ApproachName({ alias, base, short }: { alias: string; base?: BaseApproach | null; short?: boolean }) {
  return (
    <span className={styles.name} title={alias}>
      <ApproachMarker alias={alias} base={base ?? null} />
      <span className={styles.text}>{short === true ? lookOf(alias, base ?? undefined).short : alias}</span>
    </span>
  )
}
