import { Button } from '@mantine/core'
import type { GraphPicture } from '../../../../contract/http/graph-picture.ts'
import { count, plural } from '../../../components/format.ts'
import { MarkedText } from '../../../components/marked-text.tsx'
import styles from '../datasets.module.css'

interface EntityPanelProps {
  picture: GraphPicture
  id: string
  onSelect: (id: string | null) => void
}

/** One entity: what it is, and what it is related to. */
export function EntityPanel({ picture, id, onSelect }: EntityPanelProps) {
  const node = picture.nodes.find((each) => each.id === id)
  if (node === undefined) return <p className="dim">This entity is not in the picture: show more of the graph.</p>
  const labels = new Map(picture.nodes.map((each) => [each.id, each.label]))
  const relations = picture.edges
    .filter(({ source, target }) => source === id || target === id)
    .map(({ source, target, weight, keywords }) => ({ other: source === id ? target : source, weight, keywords }))
    .toSorted((a, b) => b.weight - a.weight)
  return (
    <section aria-label="Entity" className={styles.entity}>
      <header>
        <h2>
          <MarkedText text={node.label} />
        </h2>
        <Button size="compact-xs" variant="default" onClick={() => onSelect(null)}>
          Close
        </Button>
      </header>
      <p className="dim">
        {node.type} · community {node.community + 1} · {plural(node.degree, 'relation')}
        {relations.length < node.degree && `, ${count(relations.length)} in the picture`}
      </p>
      {node.description !== '' && <MarkedText text={node.description} />}
      <ul>
        {relations.map(({ other, weight, keywords }) => (
          <li key={other}>
            <button type="button" className={styles.entityName} onClick={() => onSelect(other)}>
              {labels.get(other) ?? other}
            </button>
            <span className="dim">
              weight {Number(weight.toFixed(2))}
              {keywords.length > 0 && ` · ${keywords.join(', ')}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
