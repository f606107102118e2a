import { useQuery } from '@tanstack/react-query'
import { api } from '../data/client.ts'
import { count, plural } from './format.ts'
import styles from './states.module.css'

/** Files of the results folders that could not be read, each with its reason; everything else is shown as usual. */
export function UnreadableFiles() {
  const damaged = useQuery(api.index.status.queryOptions()).data?.damaged ?? []
  if (damaged.length === 0) return null
  return (
    <div role="status" className={styles.unreadable}>
      <strong>
        <span aria-hidden="true">▲ </span>
        {plural(damaged.length, 'file')} could not be read from some point on. All other files are shown.
      </strong>
      <ul>
        {damaged.map(({ path, damage: { line, offset, message } }) => (
          <li key={path}>
            <code>{path}</code>
            {line !== null && ` line ${count(line)},`}
            {offset !== null && ` byte ${count(offset)}`}: {message}
          </li>
        ))}
      </ul>
    </div>
  )
}
