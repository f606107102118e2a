import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import type { GraphPicture } from '../../../../contract/http/graph-picture.ts'
import { count } from '../../../components/format.ts'
import styles from '../datasets.module.css'
import { communityColour } from './community-colours.ts'
import { DATASETS_WORDS } from '../datasets-words.ts'

const WORDS = DATASETS_WORDS.entityTable

interface EntityTableProps {
  nodes: GraphPicture['nodes']
  selected: string | null
  onSelect: (id: string) => void
}

const ROW_PX = 36

/** The graph's entities as rows, best connected first: the drawing for keyboards and for readers of the screen. */
export function EntityTable({ nodes, selected, onSelect }: EntityTableProps) {
  const box = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  })
  return (
    <div
      ref={box}
      className={styles.entities}
      role="table"
      aria-label={WORDS.entities}
      aria-rowcount={nodes.length + 1}
    >
      <div role="row" aria-rowindex={1} className={styles.entityHead}>
        <span role="columnheader">{WORDS.entity}</span>
        <span role="columnheader">{WORDS.type}</span>
        <span role="columnheader" className="num">
          {WORDS.relations}
        </span>
        <span role="columnheader">{WORDS.community}</span>
        <span role="columnheader">{WORDS.description}</span>
      </div>
      <div
        role="rowgroup"
        className={styles.entityRows}
        ref={(element) => element?.style.setProperty('height', `${rows.getTotalSize()}px`)}
      >
        {rows.getVirtualItems().map(({ index, start }) => {
          const { id, label, type, degree, community, description } = nodes[index]!
          return (
            <div
              key={id}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={id === selected}
              className={styles.entityRow}
              ref={(element) => element?.style.setProperty('transform', `translateY(${start}px)`)}
            >
              <span role="rowheader">
                <button type="button" className={styles.entityName} title={label} onClick={() => onSelect(id)}>
                  {label}
                </button>
              </span>
              <span role="cell">{type}</span>
              <span role="cell" className="num">
                {count(degree)}
              </span>
              <span role="cell">
                <svg width="10" height="10" aria-hidden="true">
                  <circle cx="5" cy="5" r="5" fill={communityColour(community)} />
                </svg>{' '}
                {community + 1}
              </span>
              <span role="cell" className="dim" title={description}>
                {description}
              </span>
            </div>
          )
        })}
      </div>
    </div>
  )
}
