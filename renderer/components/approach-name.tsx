import { lookOf, markerAttributes } from '../../charts/look.ts'
import type { BaseApproach } from '../../contract/approaches.ts'
import styles from './approach-name.module.css'

interface ApproachNameProps {
  alias: string
  /** Where the data name it; otherwise it follows from the alias's name. */
  base?: BaseApproach | null
  /** Leaves out what all names share. */
  short?: boolean
}

/** Marker and name of an approach; the marker of a flavor is hollow. */
export function ApproachName({ alias, base, short }: ApproachNameProps) {
  const look = lookOf(alias, base ?? undefined)
  const { 'stroke-width': strokeWidth, 'stroke-linejoin': strokeLinejoin, ...path } = markerAttributes(look)
  return (
    <span className={styles.name} title={alias}>
      <svg width="12" height="12" viewBox="-7.5 -7.5 15 15" aria-hidden="true" className={styles.marker}>
        <path {...path} strokeWidth={strokeWidth} strokeLinejoin={strokeLinejoin === 'round' ? 'round' : undefined} />
      </svg>
      <span className={styles.text}>{short === true ? look.short : alias}</span>
    </span>
  )
}
