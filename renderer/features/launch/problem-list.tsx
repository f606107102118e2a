import type { InputProblem } from '../../../contract/control/control-error.ts'
import styles from './launch.module.css'

/** What is wrong and where, by the exact path. */
export function ProblemList({ problems }: { problems: InputProblem[] }) {
  return (
    <ul className={styles.notes}>
      {problems.map(({ path, message }) => (
        <li key={`${path}${message}`}>
          <span className={styles.bad} aria-hidden="true">
            ▲{' '}
          </span>
          <code>{path}</code> {message}
        </li>
      ))}
    </ul>
  )
}
