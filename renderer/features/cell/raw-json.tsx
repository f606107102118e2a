import styles from './cell.module.css'

const SHOWN_CHARACTERS = 400_000

/** A value as indented JSON text, at most 400,000 characters of it. */
export function RawJson({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2)
  return (
    <pre className={styles.raw} tabIndex={0} aria-label="JSON">
      {text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}\n… cut here` : text}
    </pre>
  )
}
