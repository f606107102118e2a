import type { GraphPicture } from '../../../../contract/http/graph-picture.ts'
import { count } from '../../../components/format.ts'
import styles from '../datasets.module.css'
import { COLOURED, communityColour } from './community-colours.ts'

/** What colours and sizes stand for; each community is named by its best connected entity. */
export function GraphLegend({ nodes }: { nodes: GraphPicture['nodes'] }) {
  const communities = new Map<number, GraphPicture['nodes']>()
  for (const node of nodes) communities.set(node.community, [...(communities.get(node.community) ?? []), node])
  const known = [...communities].toSorted(([a], [b]) => a - b)
  const others = known.filter(([number]) => number >= COLOURED).reduce((sum, [, members]) => sum + members.length, 0)
  return (
    <ul className={styles.legend} aria-label="Legend">
      {known
        .filter(([number]) => number < COLOURED)
        .map(([number, members]) => (
          <li key={number}>
            <svg width="12" height="12" aria-hidden="true">
              <circle cx="6" cy="6" r="6" fill={communityColour(number)} />
            </svg>
            <span className={styles.legendName} title={members[0]!.label}>
              {number + 1} · {members[0]!.label}
            </span>
            <span className="dim">{count(members.length)}</span>
          </li>
        ))}
      {others > 0 && (
        <li>
          <svg width="12" height="12" aria-hidden="true">
            <circle cx="6" cy="6" r="6" fill={communityColour(COLOURED)} />
          </svg>
          smaller communities <span className="dim">{count(others)}</span>
        </li>
      )}
      <li className="dim">colour: community · size: relations</li>
    </ul>
  )
}
