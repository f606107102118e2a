import { Button, Checkbox } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnApproachView } from '../../../../contract/control/own-approaches.ts'
import { COMPONENT_WORDS } from '../../../components/component-words.ts'
import { ApproachName } from '../../../components/approach-name.tsx'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { RowButton } from '../../../components/row-button.tsx'
import { api } from '../../../data/client.ts'
import styles from '../new-run.module.css'
import { OWN_APPROACH_WORDS as WORDS } from './own-approach-words.ts'
import { OwnFormDialog } from './own-form.tsx'

interface OwnApproachesProps {
  chosen: readonly string[]
  onToggle: (name: string, on: boolean) => void
}

/** Own approaches of the project: to choose, to add, to remove, and to allow where another person wrote the file. */
export function OwnApproaches({ chosen, onToggle }: OwnApproachesProps) {
  const files = useQuery(api.approaches.list.queryOptions()).data ?? []
  const [isAdding, setAdding] = useState(false)
  const [asked, setAsked] = useState<{ to: 'allow' | 'remove'; file: OwnApproachView } | null>(null)
  const meta = { failed: WORDS.theFiles, refreshes: [api.approaches.key(), api.experiment.key()] }
  const allow = useMutation(api.approaches.allow.mutationOptions({ meta }))
  const remove = useMutation(api.approaches.remove.mutationOptions({ meta }))
  const close = (): void => setAsked(null)
  const small = { size: 'compact-xs', variant: 'subtle' } as const
  return (
    <fieldset className={styles.part}>
      <legend>{WORDS.title}</legend>
      {files.length === 0 && <p className={`dim ${styles.wide}`}>{WORDS.none}</p>}
      {files.map((view) => {
        const { name, file, called, allowed, problems } = view
        if (problems.length > 0)
          return (
            <p key={name} className="warn">
              ▲ {WORDS.unusable(file, problems)}
            </p>
          )
        return (
          <div key={name} className={styles.alias}>
            <Checkbox
              size="sm"
              checked={chosen.includes(name)}
              disabled={!allowed && !chosen.includes(name)}
              onChange={({ currentTarget }) => onToggle(name, currentTarget.checked)}
              label={<ApproachName alias={name} base="own-approach" />}
              description={allowed ? called : `▲ ${WORDS.notAllowed}`}
            />
            <div className={styles.ownActions}>
              {!allowed && (
                <RowButton
                  {...small}
                  label={WORDS.allow}
                  of={name}
                  onClick={() => setAsked({ to: 'allow', file: view })}
                />
              )}
              <RowButton
                {...small}
                color="red"
                label={WORDS.remove}
                of={name}
                onClick={() => setAsked({ to: 'remove', file: view })}
              />
            </div>
          </div>
        )
      })}
      <Button className={styles.addOwn} size="compact-sm" onClick={() => setAdding(true)}>
        {WORDS.add}
      </Button>
      {isAdding && (
        <OwnFormDialog
          onClose={() => setAdding(false)}
          onSaved={(name) => {
            setAdding(false)
            onToggle(name, true)
          }}
        />
      )}
      {asked?.to === 'allow' && (
        <ConfirmDialog
          opened
          title={WORDS.allowTitle(asked.file.file)}
          confirm={WORDS.allowConfirm}
          keep={COMPONENT_WORDS.cancel}
          onClose={close}
          onConfirm={() => {
            allow.mutate({ name: asked.file.name, digest: asked.file.digest! })
            close()
          }}
        >
          <p>{WORDS.allowAbout}</p>
          <pre className="plain" tabIndex={0} role="region" aria-label={asked.file.file}>
            {asked.file.text}
          </pre>
        </ConfirmDialog>
      )}
      {asked?.to === 'remove' && (
        <ConfirmDialog
          opened
          title={WORDS.removeTitle(asked.file.name)}
          confirm={WORDS.remove}
          keep={WORDS.keep}
          onClose={close}
          onConfirm={() => {
            onToggle(asked.file.name, false)
            remove.mutate({ name: asked.file.name })
            close()
          }}
        >
          <p>{WORDS.removeAbout(asked.file.file)}</p>
        </ConfirmDialog>
      )}
    </fieldset>
  )
}
