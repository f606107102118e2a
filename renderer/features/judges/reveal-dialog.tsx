import { Button, Modal, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import { count } from '../../components/format.ts'
import { api } from '../../data/client.ts'
import styles from './judges.module.css'
import type { Round } from './use-ballot.ts'

interface RevealDialogProps {
  round: Round
  voted: number
  total: number
}

/** The one question before the names: what it ends, under which name, and that it is logged. */
export function RevealDialog({ round, voted, total }: RevealDialogProps) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [rater, setRater] = useState('')
  const reveal = useMutation(
    api.judges.reveal.mutationOptions({
      onSuccess: () => client.invalidateQueries({ queryKey: api.judges.key() }),
    }),
  )
  const name = rater.trim()
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Reveal approaches…
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Reveal which approach is behind each letter?"
        centered
      >
        <form
          className={styles.reveal}
          onSubmit={(event) => {
            event.preventDefault()
            reveal.mutate({
              ...{ run_id: round.run, dataset_id: round.dataset },
              ...(name === '' ? {} : { rater: name }),
            })
          }}
        >
          <p>
            {voted === 0
              ? 'No question has a vote yet: the judges can then not be compared with you.'
              : `${count(voted)} of ${count(total)} questions have your vote.`}{' '}
            Revealing ends the vote on this run for good and is logged with its time.
          </p>
          <TextInput
            label="Your name in the result"
            placeholder="person"
            maxLength={128}
            value={rater}
            onChange={({ currentTarget }) => setRater(currentTarget.value)}
          />
          {reveal.isError && <p role="alert">▲ {controlErrorOf(reveal.error).message}</p>}
          <div className={styles.steps}>
            <Button variant="default" onClick={() => setOpen(false)}>
              Keep voting
            </Button>
            <Button type="submit" loading={reveal.isPending}>
              Reveal and end the vote
            </Button>
          </div>
        </form>
      </Modal>
    </>
  )
}
