// 200 questions of many domains with the route that suits each. The labels follow these definitions, not the router's choice:
//
// - exact-term: one fact, and the question names its subject by a name, code, number or quotation that its passage must hold.
// - single-fact: one fact in everyday words or terms of a field, without any name.
// - context-bound: one fact as a certain text states it ("according to the …", "in chapter 3"), or of a subject that only the text around
//   it names: "it", "this", "the above", "the defendant in that case".
// - linked-entities: two facts, because the subject is described by its relation to something named instead of being named itself ("the
//   author of X"); or how named things are related, or what they share.
// - several-steps: three facts or more in a chain; or things compared or chosen from ("X or Y", "both X and Y", "more than"), where each
//   needs a search of its own.
//
// Within a route every second question is held back: the rules are written with the others.

export type RouteName = 'single-fact' | 'exact-term' | 'context-bound' | 'linked-entities' | 'several-steps'

export interface LabelledQuestion {
  text: string
  route: RouteName
  heldBack: boolean
}

const QUESTIONS: Readonly<Record<RouteName, string>> = {
  'single-fact': `
What causes insulin resistance in adults?
How long should bread dough rest before baking?
Why do airlines overbook flights?
What is the usual treatment for a sprained ankle?
What does force majeure mean in a supply contract?
How is cheese aged?
Why is the sky blue at noon and red at dusk?
What keeps a suspension bridge from swaying in the wind?
How do vaccines train the immune system?
What happens when a tenant fails to pay the rent?
Which gas do plants take in during photosynthesis?
How is a film scene lit to look like night?
What makes a volcano erupt?
How does a hash table resolve collisions?
When may a juror be excused from service?
Why did medieval towns build walls?
How many players are on the field in a cricket team?
What is the offside rule in football?
How does a central bank fight inflation?
What temperature kills salmonella in chicken?
How do glaciers shape a valley?
Why do database indexes slow down writes?
What is the difference that yeast makes in a dough?
How are tides caused?
What should be done first after a burn with hot water?
How does a company write off a bad debt?
What is the role of a conductor in an orchestra?
Who may witness the signing of a will?
How deep do earthworms dig in winter?
Why do cats purr?
How does garbage collection reclaim memory?
What does a referee do when a player is injured?
How long does a patent protect an invention?
What is used to preserve wooden ships from rot?
Why does iron rust faster near the sea?
What ingredients thicken a sauce?
How do migrating birds find their way?
How are goods insured during transport by sea?
What side effects can antibiotics have?
How do editors cut dialogue scenes?`,
  'exact-term': `
When was Marie Curie born?
What does error ORA-01555 mean?
Who directed The Handmaid's Tale?
Where is the International Court of Justice seated?
What is the boiling point of C2H5OH?
Which river flows through Budapest?
What does section 230 protect?
How tall is Mount Kilimanjaro?
Who won Wimbledon in 1987?
What is the default port of PostgreSQL?
When did the Ottoman Empire end?
What dose of Glucophage is given at first?
Who founded Toyota?
What is the capital of Burkina Faso?
Who composed the opera Rusalka?
How many moons does Neptune have?
What does HTTP status 418 mean?
When was the Treaty of Westphalia signed?
Where was Frida Kahlo buried?
What is CVE-2021-44228?
How long is the Trans-Siberian Railway?
What did the court decide in Marbury v. Madison?
Who coached Bayern Munich in 2013?
What is the annual revenue of Siemens?
Which spices does Madras curry contain?
What is "wabi-sabi"?
How much does a Boeing 747 weigh?
Why did Lehman Brothers collapse?
Which organ does Hashimoto's disease affect?
Where does the Camino de Santiago end?
What does the flag -Xmx set?
When did Virginia Woolf publish Orlando?
What is the atomic number of Tungsten?
Who built the Taj Mahal?
How was Troy discovered?
What did Nokia produce before telephones?
What does article 17 of the GDPR grant?
What language is spoken in Suriname?
What stadium is home to Boca Juniors?
How is a Bordelaise sauce prepared?`,
  'context-bound': `
According to the safety manual, how often must the filters be changed?
What does it cost to renew it?
In the annual report, why did profits fall?
What does this clause require of the seller?
Where did he go after that?
In chapter 3, what happens to the narrator?
According to the leaflet, who should not take these tablets?
What did the defendant in that case argue?
How does the author of this article explain the decline?
What are its side effects?
What does the above section say about refunds?
In the second act, why does she leave the house?
According to the minutes, who voted against the motion?
How many people lived there at the time?
What is the deadline under this agreement?
As stated in the release notes, which setting was removed?
Why was it withdrawn?
What did they find in the samples?
According to the recipe, when is the cream added?
Which exceptions does that paragraph allow?
When was this built?
What does the introduction say about the method?
In the interview, what does she say about her childhood?
What was his first job?
How does the report describe the accident?
In this study, how many patients dropped out?
What does the guide recommend for beginners?
Who replaced him?
What does the warning on the label say?
According to the treaty text, when does it enter into force?
How did the coach explain the defeat in the interview?
Which side did they support?
What is meant by "the Company" in this contract?
What does the last chapter reveal about the murderer?
Did it succeed in the end?
In the preface, whom does the author thank?
How long did the siege described here last?
What does the readme say about installation on servers?
What do the terms of use say about children?
According to the previous section, what triggers the alarm?`,
  'linked-entities': `
Who is the wife of the director of Parasite?
Where was the inventor of the telephone exchange born?
Which company owns the publisher of National Geographic?
How are Pixar and Steve Jobs connected?
What disease was studied by the discoverer of penicillin?
In which city was the author of The Trial born?
Which team did the coach of Ajax play for?
What do Ghana and Togo have in common?
Which law did the judge who presided over the Nuremberg trials help write?
Who composed the music of the film that won at Cannes in 1994?
What is the capital of the country where Bollywood is based?
When did the founder of IKEA die?
Which university did the architect of the Sydney Opera House attend?
Who is the mother of the actor who played Frodo?
What river crosses the city in which Mozart was born?
What is the relationship between Unilever and Ben & Jerry's?
Which drug is made by the company that developed Humira?
Where did the painter of Guernica grow up?
Which club does the scorer of the winning goal in the 2014 World Cup final support?
Who acquired the startup founded by Kevin Systrom?
What is the population of the town where Nestlé has its headquarters?
Which language is the mother tongue of the creator of Python?
What year was the author of Dracula born?
Which ocean borders the country whose capital is Lima?
Who trained the chef that opened Noma?
How is Alfred Nobel linked to Bofors?
What is the nationality of the composer of Carmen?
Which enzyme does the drug sold as Lipitor inhibit?
Who was the father of the queen who signed the Treaty of Tordesillas?
What other films has the cinematographer of Blade Runner shot?
Which party did the successor of Margaret Thatcher belong to?
In what year did the company that makes the Rubik's Cube go public?
Which mountain range separates the neighbours of Andorra?
Who wrote the novel on which Jaws is based?
What position did the brother of Ralf Schumacher hold at Mercedes?
Which amendment was at issue in the case brought by Ernesto Miranda?
Who designed the chip used in the first Macintosh?
How did the husband of Nannerl Mozart die?
What was the first job of the chief executive of Adidas?
What award did the translator of Don Quixote into German receive?`,
  'several-steps': `
Which was founded first, Sony or Panasonic?
Which magazine has more readers, Time or The Economist?
Who is older, Tom Hanks or Denzel Washington?
Are the Danube and the Rhine both navigable at Vienna?
Did the Wright brothers or Santos-Dumont fly first?
What is the capital of the country where the director of the film Amores Perros was born?
Is Aspirin safer than Ibuprofen for children?
Who is the spouse of the founder of the company that makes the Thinkpad?
Do Kotlin and Scala both compile to the same bytecode?
Which is higher, Mont Blanc or Mount Elbrus?
Compare the terms of the leases of Harrods and Selfridges.
Were Leo Tolstoy and Anton Chekhov of the same nationality?
Which employer hired the mother of the man who wrote the anthem of Uruguay?
What is the birthplace of the architect of the stadium where the final of the 1954 World Cup was played?
Which film came out earlier, Alien or Jaws?
Was Chopin born before Liszt?
Does lemon juice or vinegar curdle milk faster?
Which court has more judges, the Supreme Court of India or the Bundesgerichtshof?
Who taught the teacher of the composer who wrote Finlandia?
Is the Nile longer than the Amazon?
Which city hosted the festival that honoured the director of the film that launched Audrey Tautou?
How does Redis differ from Memcached?
Are both Warfarin and Heparin given by mouth?
What university did the wife of the inventor of the machine that broke Enigma attend?
Between Chile and Peru, which exports more copper?
Which of the two, Ada or Pascal, was standardised earlier?
When did the employer of the sister of the pilot who crossed the Channel in 1909 close?
Did Napoleon and Wellington meet in person?
Is basmati rice or jasmine rice lower in starch?
What are the differences between common law and civil law?
Which team won more titles, Celtic or Rangers?
Who lived longer, Galileo Galilei or Johannes Kepler?
In which county is the village where the widow of the founder of the Salvation Army was born?
Are Lake Victoria and Lake Malawi in the same country?
Which has the larger market share, Chrome or Firefox?
Which museum owns the painting by the pupil of the master who decorated the Arena Chapel?
Did Apple release the iPad before the Kindle came out?
Which treaty is older, the Treaty of Rome or the Treaty of Lisbon?
Who was the first husband of the actress who starred in the film directed by the son of Ingrid Bergman?
Was the Colosseum or the Pantheon completed later?`,
}

export const routingQuestions: readonly LabelledQuestion[] = (
  Object.entries(QUESTIONS) as [RouteName, string][]
).flatMap(([route, block]) =>
  block
    .trim()
    .split('\n')
    .map((text, at) => ({ text, route, heldBack: at % 2 === 1 })),
)
