import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Form } from '../components/dialog-form.tsx'
import { Page } from '../components/states.tsx'
import { addressOfLink } from './pasted-link.ts'
import styles from './shell.module.css'
import { SHELL_WORDS } from './shell-words.ts'

const WORDS = SHELL_WORDS.expiredLink

/** In place of every page while the engine refuses this browser: how to get a link, and where to paste it. */
export function ExpiredLink() {
  const [pasted, setPasted] = useState('')
  const address = addressOfLink(pasted)
  const isWrong = pasted.trim() !== '' && address === null
  return (
    <Page title={WORDS.title}>
      <div role="alert" className={styles.expired}>
        <p>{WORDS.refused}</p>
        <p>
          {WORDS.press}
          <kbd>{WORDS.enter}</kbd>
          {WORDS.where}
          <code>{WORDS.command}</code>
          {WORDS.desktop}
          <em>{WORDS.menuItem}</em>
          {WORDS.inItsMenu}
        </p>
      </div>
      <Form
        className={styles.expired}
        onSubmit={() => {
          if (address !== null) window.location.assign(`${address}${window.location.hash}`)
        }}
      >
        <TextInput
          label={WORDS.paste}
          placeholder={WORDS.example}
          autoComplete="off"
          spellCheck={false}
          value={pasted}
          error={isWrong ? WORDS.wrong : null}
          onChange={({ currentTarget }) => setPasted(currentTarget.value)}
        />
        <Button variant="filled" type="submit" disabled={address === null}>
          {WORDS.open}
        </Button>
      </Form>
    </Page>
  )
}
