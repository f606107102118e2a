import { useQuery } from '@tanstack/react-query'
import { api } from '../data/client.ts'
import { count } from './format.ts'
import styles from './states.module.css'
import { COMPONENT_WORDS } from './component-words.ts'

const WORDS = COMPONENT_WORDS.unreadableFiles

/** Files of the results folders that could not be read, each with its reason; everything else is shown as usual. */
export function UnreadableFiles() {
  const damaged = useQuery(api.index.status.queryOptions()).data?.damaged ?? []
  if (damaged.length === 0) return null
  return (
    <div role="status" className={styles.unreadable}>
      <strong>
        <span aria-hidden="true">▲ </span>
        {WORDS.unreadableFiles(damaged.length)}
      </strong>
      <ul>
        {damaged.map(({ path, damage: { line, offset, message } }) => (
          <li key={path}>
            <code>{path}</code>
            {line !== null && WORDS.line(count(line))}
            {offset !== null && WORDS.byte(count(offset))}: {message}
          </li>
        ))}
      </ul>
    </div>
  )
}
