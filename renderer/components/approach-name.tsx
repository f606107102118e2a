import { useQuery } from '@tanstack/react-query'
import { lookOf, markerPaths } from '../../charts/look.ts'
import { approachLabel, approachMark, type BaseApproach } from '../../contract/approaches.ts'
import { api } from '../data/client.ts'
import styles from './approach-name.module.css'

interface ApproachNameProps {
  alias: string
  /** Set where the data name it; otherwise it follows from the declared aliases, then from the alias's name. */
  base?: BaseApproach | null
  /** Leaves out what all names share. */
  short?: boolean
}

/** Marker and name of an approach; the marker of a flavor is hollow and has a sign of its own. */
export function ApproachName({ alias, base, short }: ApproachNameProps) {
  const mark = approachMark(alias)
  const declared = useQuery(api.experiment.get.queryOptions()).data?.aliases
  const look = lookOf(alias, base ?? declared?.find((each) => each.alias === alias)?.base ?? undefined)
  return (
    <span className={styles.name} title={approachLabel(alias)}>
      <svg width="12" height="12" viewBox="-7.5 -7.5 15 15" aria-hidden="true" className={styles.marker}>
        {markerPaths(look).map(({ width, ...path }) => (
          <path key={path.d} {...path} strokeWidth={width} strokeLinejoin="round" />
        ))}
      </svg>
      <span className={mark === null ? 'ellipsis' : styles.whole}>{short === true ? look.short : alias}</span>
      {mark !== null && <span className={styles.mark}> {mark}</span>}
    </span>
  )
}
