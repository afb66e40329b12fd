"""Ada's private life: the flat, Lisbon, choir, books, school, family."""

import parts

TOP, BELOW, OUTLOOK = {"quote": "top"}, {"quote": "below"}, {"quote": "outlook"}


def write(box):
    for chapter in (flat, lisbon, choir, books, school, family, abroad, small_matters):
        chapter(box)


def flat(box):
    quote_one = parts.pdf([
        "Castellan Interiors: Quote 2024-017", "Client: Ada Berg, Lindenallee 14, third floor", "",
        "Remove old kitchen and tiles        EUR  1,450.00", "Cabinets, birch, nine units         EUR  6,200.00",
        "Worktop, oak, oiled, 3.4 m          EUR  1,380.00", "Fitting and plumbing                EUR  2,370.00",
        "Total including VAT                 EUR 11,400.00", "", "Valid until 29 February 2024"])
    quote_two = parts.pdf([
        "Castellan Interiors: Quote 2024-031 (replaces 2024-017)", "Client: Ada Berg, Lindenallee 14, third floor", "",
        "Remove old kitchen and tiles        EUR  1,450.00", "Cabinets, birch, nine units         EUR  7,050.00",
        "Worktop, oak, oiled, 3.4 m          EUR  1,620.00", "Fitting and plumbing                EUR  2,730.00",
        "Total including VAT                 EUR 12,850.00", "", "Valid until 30 April 2024"])
    box.thread(
        "Kitchen renovation, Lindenallee 14",
        ("2024-01-08 10:12", "ruben", "ada", """Dear Ms Berg,

thank you for showing me the kitchen on Friday. I measured 3.40 m for the worktop and the wall to the bathroom is, as you feared, not straight: 18 mm over its length. We can hide that behind the tall unit.

Attached is our quote 2024-017 over EUR 11,400. Birch cabinets, oiled oak worktop, and we take the old kitchen away.

Kind regards
Ruben""", {"files": [("application/pdf", "quote-2024-017.pdf", quote_one)]}),
        ("2024-01-08 20:47", "ada", "ruben", """Dear Ruben,

that was quick, thank you. Two questions before we decide:

1. Does the quote include connecting the dishwasher?
2. How long would we be without a sink?

We have a nine-year-old and one bathroom, so the second one matters.

Ada""", {**TOP, "cc": "jonas"}),
        ("2024-01-09 08:05", "ruben", "ada", """> 1. Does the quote include connecting the dishwasher?

Yes, with a new stop valve.

> 2. How long would we be without a sink?

Four days if the plumber comes when he says. Call it six. We can set up the old sink in the hallway on trestles; people laugh, but it works.""", {"cc": "jonas"}),
        ("2024-01-09 21:30", "jonas", "ada", """The hallway sink. I am already fond of it.

I would take the birch, but ask him about the handles: I do not want to catch my sleeves for the next fifteen years.""", {"re": 2, "quote": "top"}),
        ("2024-03-04 09:15", "ruben", "ada", """Dear Ada,

I have to come back to you with bad news. Our mill raised birch plywood by 14 percent in February, and the quote from January ran out on the 29th. The new one is attached: EUR 12,850 instead of 11,400.

I know this is not what you hoped for. If you can decide before Easter I will keep this price until the end of April, whatever the mill does.

Ruben""", {"re": 2, "files": [("application/pdf", "quote-2024-031.pdf", quote_two)], "flags": "f"}),
        ("2024-03-05 19:58", "ada", "ruben", """Ruben, I compared the two line by line. The cabinets I understand. But fitting and plumbing also went from 2,370 to 2,730, and pipes are not made of birch.

Could you look at that line again? If you can keep the fitting at the January price we will sign this week.

Ada""", {"cc": "jonas"}),
        ("2024-03-06 07:40", "ruben", "ada", """You read quotes like a customs officer. Fair point: fitting stays at 2,370, so the total is EUR 12,490. I will send the corrected paper with the contract.

Start on Monday 22 April?""", TOP),
        ("2024-03-06 18:22", "ada", "ruben", """Agreed: 12,490 euros, start on 22 April. I will empty the cupboards by the 20th, promise.

Ada""", {"cc": "jonas", "quote": "top"}),
        ("2024-05-03 16:55", "ruben", "ada", """All done but one: the plinth under the oven came in the wrong white. The right one is ordered and I will fit it by 17 May, at no cost of course.

Please oil the worktop again after four weeks. Thin, with a cloth, not a brush."""))
    box.thread(
        "Permission to move a gas pipe",
        ("2024-02-12 11:03", "ada", "landlord", """Dear Ms Holm,

we are planning a new kitchen in April (third floor left, Lindenallee 14). The gas pipe that no longer feeds anything runs exactly where the tall unit should stand. May our fitter have it capped and removed behind the wall?

With kind regards
Ada Berg"""),
        ("2024-02-20 14:26", "landlord", "ada", """Dear Ms Berg,

in principle yes. We need (a) the name of a licensed gas fitter, (b) a sketch, (c) your confirmation that the cost is yours. Please note that the riser in the stairwell must not be touched.

F. Holm
Elbhaus Management""", TOP),
        ("2024-02-20 19:10", "ada", "landlord", """Dear Ms Holm,

(a) Rohrwerk Nord, licence 2211, (b) attached, (c) confirmed.

Ada Berg""", {**TOP, "files": [("image/png", "pipe-sketch.png", parts.png(24, 24, pipe_sketch))]}),
        ("2024-03-01 09:31", "landlord", "ada", "Approved. Please send us the fitter's certificate when the work is done; our insurer asks for it.", OUTLOOK))
    german_tiles(box)
    box.thread(
        "Noise on Saturday",
        ("2024-04-24 18:15", "sam", "ada", """Hello upstairs,

no complaint, only a question: will there be hammering on Saturday too? My sister comes with the baby, and I would rather take them to the harbour than discover it at nine in the morning.

Sam (second floor)"""),
        ("2024-04-24 18:41", "ada", "sam", "No hammering on Saturday, they only work Monday to Friday, 8 to 16. And I owe you a cake for this week.", TOP),
        ("2024-04-25 07:50", "sam", "ada", "The baby and I accept cake. Poppy seed, if there is a choice."))


def german_tiles(box):
    """The same shop writes in Latin-1, as small shops do."""
    latin = {"charset": "iso-8859-1", "encoding": "quoted-printable", "how": "Q"}
    box.thread(
        "Fliesenmuster fürs Bad",
        ("2025-02-03 13:20", "tiles", "ada", """Guten Tag Frau Berg,

die drei Muster für Ihr Badezimmer liegen bereit: Salbeigrün matt, Kreideweiß glänzend und das Fischgrätmuster in Graublau. Das Graublau ist zurzeit nur in der Größe 7,5 × 15 cm lieferbar, Lieferzeit etwa fünf Wochen.

Möchten Sie die Muster abholen, oder sollen wir sie Ihnen zuschicken? Das Porto beträgt 6,90 Euro.

Mit freundlichen Grüßen
Ihr Fliesenhaus Deich""", latin),
        ("2025-02-03 20:02", "ada", "tiles", """Guten Abend,

ich hole sie am Samstag gegen elf Uhr ab. Könnten Sie mir bis dahin ausrechnen, wie viel wir für 9,2 m² brauchen, mit zehn Prozent Verschnitt?

Viele Grüße
Ada Berg""", {**latin, "quote": "top"}),
        ("2025-02-05 10:44", "tiles", "ada", """Guten Tag Frau Berg,

9,2 m² plus zehn Prozent sind 10,12 m². Wir verkaufen in Kartons zu 0,5 m², also 21 Kartons zu je 23,80 Euro, zusammen 499,80 Euro. Der passende Fugenmörtel heißt "Silbergrau 16".

Bis Samstag!
Ihr Fliesenhaus Deich""", latin),
        ("2025-02-08 15:12", "ada", "jonas", """Look at the grey-blue in daylight before you say no. I put it on the window sill in the bathroom.

The shop wants an answer by Wednesday, otherwise the batch goes to a hotel in Kiel.""",
         {**latin, "subject": "Fwd: Fliesenmuster fürs Bad", "quote": "outlook"}))


def pipe_sketch(x, y):
    if x in (11, 12) and y > 4:
        return (200, 60, 40)
    return (90, 90, 90) if y < 3 or x == 0 else (245, 245, 240)


def lisbon(box):
    box.thread(
        "Lisbon in May?",
        ("2025-01-19 21:14", "mira", "ada sam", """Dear both,

it is raining sideways and I have looked at flights. Lisbon, the week after Ascension: 30 May to 4 June 2025. Direct, and not absurd: 148 euros each with Tern Air if we book before the end of January.

Who is in? I want custard tarts, one museum a day at most, and the tram that everybody says is too full."""),
        ("2025-01-19 21:40", "sam", "ada mira", "In. I only need to be back on the 5th for work. No museum on the first day.", TOP),
        ("2025-01-20 07:58", "ada", "mira", """In! Jonas takes Leni to his parents that week anyway.

> one museum a day at most

I would like the tile museum to count as architecture, so that it does not use up the day.

> the tram that everybody says is too full

Seven in the morning. I will wake you.""", {"cc": "sam", "re": 0}),
        ("2025-01-20 12:20", "mira", "ada", "Tile museum is granted an exemption. Booking tonight, send me your full names as in the passport.", {"cc": "sam"}),
        ("2025-01-20 12:31", "ada", "mira", "Ada Katharina Berg. Window seat, if they ask.", TOP),
        ("2025-01-21 22:05", "mira", "ada sam", """Booked! TN 418 on Friday 30 May, 10:25, and back with TN 421 on Wednesday 4 June, 18:50. I paid 444 euros for three, so 148 each to me, whenever it suits you.

Who finds us a place to stay? I nominate Ada, she has the taste and I have the deposit.""", {"re": 3}),
        ("2025-01-22 08:12", "ada", "mira sam", "Accepted. I have an eye on a small house in Alfama with a lemon tree. I will write to the owner today and report by Sunday.", TOP),
        ("2025-05-25 19:33", "sam", "ada mira", """Packing list of a nervous man: passports, the good walking shoes, a pack of cards, something against blisters. Does the house have an umbrella? The forecast says 26 degrees and I do not believe forecasts."""),
        ("2025-05-25 20:02", "ada", "sam", "Two umbrellas, Tomás says, and a dog called Bica who belongs to nobody. See you at the gate at 9:40.", {"cc": "mira"}))
    box.thread(
        "Casa do Limoeiro, 30 May to 4 June 2025",
        ("2025-01-22 08:30", "ada", "tomas", """Dear Mr Ferreira,

a friend stayed in your house with the lemon tree and still talks about the breakfast terrace. Is it free from 30 May to 4 June 2025, for three adults, and what would it cost?

Best wishes from grey Hamburg
Ada Berg"""),
        ("2025-01-22 17:45", "tomas", "ada", """Dear Ada,

it is free. Five nights, three people: 95 euros a night, so 475 euros, cleaning included. I ask 100 euros in advance and the rest in cash when you arrive.

There are 61 steps from the street to the door. I tell everybody; not everybody reads it.

Tomás""", TOP),
        ("2025-01-23 08:01", "ada", "tomas", "Sixty-one steps are fine, we are taking one bag each. Please reserve it for us; the deposit is on its way.", BELOW),
        ("2025-01-27 10:20", "tomas", "ada", "The deposit has arrived, the house is yours. Two weeks before, I will send you the code of the door and a map, because the street is not where the telephone thinks it is."),
        ("2025-05-16 09:11", "tomas", "ada", """Dear Ada,

as promised: from Santa Apolónia station walk uphill, past the fountain, left at the blue door. The key box is behind the lemon tree. I will be there on Friday at 14:00 to show you how the stove thinks.

My contact is attached as a card, in case the telephone is lost.

Tomás""", {"files": [("text/vcard; charset=utf-8", "tomas-ferreira.vcf", VCARD.encode())], "flags": "f"}),
        ("2025-06-06 20:19", "ada", "tomas", """Dear Tomás,

we are home and everybody misses the terrace. I think I left my green notebook on the shelf beside the bed. If you find it, could you post it? I will pay for it, of course.

The lemons survived the journey and are now a cake.

Ada"""),
        ("2025-06-09 18:03", "tomas", "ada", "Found: green, with a pressed fern on page 12 (I did not read, it fell out). It goes to the post tomorrow. No payment. Send a photograph of the cake.", TOP))
    picture = parts.png(40, 26, lambda x, y: (250, 220 - 3 * y, 90) if (x - 20) ** 2 + (y - 13) ** 2 < 110 else (70, 130, 200))
    box.add("2025-06-10 19:44", "ada", "tomas", "The cake, as evidence", """Dear Tomás,

here is the cake, photographed before Leni saw it. Afterwards there was nothing to photograph.

[picture: lemon-cake.png]

Ada""", html='<html><body><p>Dear Tomás,</p><p>here is the cake, photographed before Leni saw it. Afterwards there was '
            'nothing to photograph.</p><p><img src="cid:lemon-cake@example.org" width="240" alt="lemon cake"></p><p>Ada</p></body></html>',
            related=[parts.file_part("image/png", "lemon-cake.png", picture, "inline", "lemon-cake@example.org")])
    box.thread(
        "Money for Lisbon",
        ("2025-06-08 11:26", "mira", "ada sam", """I kept the receipts in a sock, here is the sum, also as a table:

House 475, trams and trains 61.40, food we shared 212.85, tiles that Sam could not leave behind 38 (his alone).

Without the tiles 749.25, so 249.75 each. Ada paid the house, I paid the rest, Sam owes us both and a little humility.""",
         {"files": [("text/csv", "lisbon-expenses.csv", EXPENSES.encode())]}),
        ("2025-06-08 12:02", "sam", "mira ada", "The tiles regret nothing. Transferring 249.75 plus 38 tonight, tell me whom how much.", TOP),
        ("2025-06-08 12:30", "ada", "sam", "225.25 to me, 62.50 to Mira, then we are even. I checked twice.", {"cc": "mira", "quote": "top"}))


VCARD = """BEGIN:VCARD
VERSION:3.0
N:Ferreira;Tomás;;;
FN:Tomás Ferreira
ORG:Casa do Limoeiro
TEL;TYPE=CELL:+351-555-0118
EMAIL:tomas@casa-do-limoeiro.example
ADR;TYPE=HOME:;;Beco do Limoeiro 7;Lisboa;;;Portugal
END:VCARD
"""

EXPENSES = """date,what,paid_by,euros
2025-05-30,house (five nights),Ada,475.00
2025-05-30,groceries,Mira,41.20
2025-05-31,tram day tickets,Mira,20.40
2025-06-01,dinner in Alfama,Mira,86.50
2025-06-02,train to Sintra,Mira,41.00
2025-06-03,grilled sardines,Mira,85.15
2025-06-03,tiles,Mira,38.00
"""


def choir(box):
    listed = {"extra": ["List-Id: Kammerchor Alster <choir.lists.example.org>", "List-Post: <mailto:choir@lists.example.org>"]}
    box.thread(
        "[choir] Spring concert: rehearsal plan",
        ("2024-01-15 17:30", "helga", "choir", """Dear singers,

the spring concert is on Saturday 27 April 2024, 19:00, St. Gertrud. We sing the Rheinberger mass, three part songs by Fanny Hensel and, if the altos are brave, the Poulenc.

Extra rehearsals: Saturdays 16 March and 13 April, 10 to 16, parish hall. Please bring a pencil and something for the buffet.

Please tell me by 1 February whether you can sing.

Helga"""),
        ("2024-01-15 20:11", "piet", "choir", "Tenor 2, present on all dates. Are the altos brave?", TOP),
        ("2024-01-16 07:22", "ada", "choir", "The altos have discussed it on the stairs and are brave. I am in; on 13 April I have to leave at 14:00.", {"re": 1, "quote": "top"}),
        ("2024-01-16 18:04", "helga", "choir", """Then the Poulenc is on the programme. No way back.

I have ordered 34 scores; they cost 11.50 each. Ada, could you collect the money as last year?"""),
        ("2024-01-17 08:15", "ada", "helga", "I can. List on the piano, cash only, and I bite.", BELOW),
        ("2024-04-28 11:47", "helga", "choir", """Dear singers,

yesterday you sang the Agnus Dei as if you had written it. 212 people, 1,340 euros for the organ fund, and the bishop's niece asked where one can join.

Sleep well. We start again on 14 May with something easy."""), **listed)
    box.thread(
        "[choir] Choir weekend in Plön",
        ("2025-08-20 18:40", "helga", "choir", """Dear all,

the choir weekend is from 10 to 12 October 2025 in the youth hostel in Plön, right by the lake. 118 euros with full board, in double rooms. Single rooms are gone before I finish this sentence.

Registration until 15 September, to Piet please."""),
        ("2025-08-21 09:02", "piet", "choir", "I take names, diets and snoring habits. So far: 6 people, 2 vegetarian, 1 honest snorer.", TOP),
        ("2025-08-21 19:36", "ada", "piet", "Ada, vegetarian, does not snore (Jonas disagrees). May I share with Mira's cousin Lotte? She wanted to try the sopranos.", {"re": 0}),
        ("2025-09-16 20:50", "piet", "choir", "29 registrations, 4 cars with room for 11 more. Who needs a lift? The regional train leaves Hamburg on Friday at 15:21."), **listed)
    box.thread(
        "Solo in the Christmas concert",
        ("2025-11-04 21:25", "helga", "ada", """Dear Ada,

would you sing the alto solo in "Es ist ein Ros entsprungen" on 14 December? It is eight bars and you know them in your sleep.

Please answer by Friday, otherwise I have to ask Renate, and you know what that means.

Helga""", {"flags": "f"}),
        ("2025-11-05 07:40", "ada", "helga", "Eight bars, one condition: we rehearse it once in the church, with the heating off, as it will be. Yes.", TOP),
        ("2025-11-05 19:15", "helga", "ada", "Tuesday 9 December, 18:00, bring gloves."))


def books(box):
    listed = {"extra": ["List-Id: <tuesday-books.lists.example.org>"]}
    box.thread(
        "Next book: the lighthouse one",
        ("2023-10-03 22:10", "mira", "bookclub", """So we have a tie between "The Salt Ledger" and "Nine Winters at Skerry Light". As the person who bought the wine I have the casting vote, and I cast it for the lighthouse.

Tuesday 7 November, 19:30, at Ada's? 312 pages, that is ten a day."""),
        ("2023-10-04 08:14", "ada", "bookclub", "At mine, with soup. Bring the book even if you did not finish it; we will be kind.", TOP),
        ("2023-11-05 21:55", "sam", "bookclub", """I am on page 200 and the keeper has not spoken to a human being since page 60. I love it. Does it stay like this? Do not answer."""),
        ("2023-11-06 07:03", "mira", "bookclub", "It stays like this until it does not.", BELOW),
        ("2023-11-08 09:20", "ada", "bookclub", """For the record, since we argued until midnight:

- Sam: the keeper is an unreliable narrator, the ship on page 241 never existed.
- Mira: it existed, he let it pass.
- Me: it existed and he turned the light off himself. See the oil bill in chapter 11.

Next: "The Salt Ledger", Tuesday 12 December at Sam's."""), **listed)
    box.thread(
        "Summer reading list",
        ("2024-06-11 20:31", "sam", "bookclub", """Three suggestions, each with a reason against:

1. "A Grammar of Rivers": 600 pages.
2. "The Cartographer's Niece": everybody's aunt has read it.
3. "Small Engines": short stories, and we never agree about those."""),
        ("2024-06-11 21:12", "ada", "bookclub", "Small Engines. Disagreeing is why I come.", TOP),
        ("2024-06-12 12:40", "mira", "bookclub", "Rivers for the holidays, Engines for September? I will read both and be unbearable.", {"re": 0}),
        ("2024-06-12 18:05", "sam", "bookclub", "Motion carried. 10 September, 19:30, my balcony if the wasps allow it.", TOP), **listed)
    box.thread(
        "Did you ever get my copy back from Lotte?",
        ("2026-06-22 21:04", "mira", "ada", """I lent my annotated "Nine Winters" to your choir friend Lotte last autumn. Do you still see her? I would quite like it before we do the anniversary evening on 6 October.

No hurry, but also not never.""", {"flags": "f"}))
    box.thread(
        "Anniversary evening: three years of Tuesdays",
        ("2026-08-30 19:22", "mira", "bookclub", "In five weeks it is three years since the lighthouse. I propose that we read it again and see whether the ship still exists."),
        ("2026-08-31 08:40", "sam", "bookclub", "It never existed. I will bring evidence.", TOP),
        ("2026-09-01 20:17", "ada", "bookclub", "My kitchen, my soup, my oil bill theory. 19:00 this time, because Leni wants to hear the beginning.", {"re": 0}), **listed)


def school(box):
    box.thread(
        "Elternabend der Klasse 4b",
        ("2025-09-08 12:15", "teacher", "parents", """Liebe Eltern der 4b,

hiermit lade ich Sie herzlich zum Elternabend am Donnerstag, dem 25. September 2025, um 19:30 Uhr in Raum 2.04 ein.

Themen:
- Übergang auf die weiterführende Schule
- Klassenreise nach Amrum (Kosten, Termin, Packliste)
- Wahl der Elternvertretung

Bitte geben Sie mir bis zum 19. September Bescheid, ob Sie teilnehmen.

Herzliche Grüße
Claudia Neumann""", {"charset": "iso-8859-1", "how": "Q"}),
        ("2025-09-09 07:12", "ada", "teacher", """Liebe Frau Neumann,

mein Mann und ich kommen beide gern. Eine Frage schon vorab: Gibt es für die Klassenreise eine Ratenzahlung? Zwei Familien haben mich darauf angesprochen.

Viele Grüße
Ada Berg""", {"charset": "utf-8", "encoding": "base64"}),
        ("2025-09-10 13:40", "teacher", "ada", """Liebe Frau Berg,

ja, in drei Raten, und der Förderverein hilft unbürokratisch. Das dürfen Sie gern weitersagen.

Claudia Neumann""", {"charset": "iso-8859-1", "how": "Q", "quote": "top"}))
    box.thread(
        "Klassenreise Amrum: Anmeldung bis 30. Januar",
        ("2026-01-12 09:00", "school", "parents", """Sehr geehrte Eltern,

die Klassenreise der 4b nach Amrum findet vom 1. bis 5. Juni 2026 statt. Die Kosten betragen 285 Euro je Kind. Die Anmeldung finden Sie im Anhang; bitte geben Sie sie bis zum 30. Januar unterschrieben im Sekretariat ab.

Mit freundlichen Grüßen
Sekretariat, Schule am Park""", {"encoding": "base64", "files": [(
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "Anmeldung-Amrum.docx", parts.docx([
                "Anmeldung zur Klassenreise nach Amrum, 1. bis 5. Juni 2026", "Name des Kindes: ____________________",
                "Allergien oder Medikamente: ____________________", "Mein Kind kann sicher schwimmen: ja / nein",
                "Kosten: 285 Euro, zahlbar in einer Summe oder in drei Raten zu 95 Euro.",
                "Abgabe bis 30. Januar 2026 im Sekretariat."]))]}),
        ("2026-01-28 20:20", "ada", "school", "Sehr geehrte Damen und Herren,\n\nanbei die unterschriebene Anmeldung für Leni. Die Raten überweise ich jeweils zum Monatsersten.\n\nAda Berg",
         {"files": [("application/pdf", "Anmeldung-Leni.pdf", parts.pdf(["Anmeldung zur Klassenreise nach Amrum", "Name des Kindes: Leni Berg",
                                                                      "Allergien: Haselnuss", "Sicher schwimmen: ja", "gez. Ada Berg, 28.01.2026"]))]}),
        ("2026-01-29 08:10", "school", "ada", "Vielen Dank, die Anmeldung ist eingegangen.", TOP))
    box.thread(
        "Swimming on Thursdays",
        ("2024-09-02 16:45", "farid", "ada", """Hi Ada,

Nour and Leni are both in the swimming group on Thursdays, 16:00. Shall we take turns? I can do the odd weeks, you the even ones, and whoever drives also does the hair."""),
        ("2024-09-02 17:30", "ada", "farid", "Done. Starting with you, because I do not own a working hair dryer until Friday.", TOP),
        ("2024-11-13 21:10", "farid", "ada", "Tomorrow is even, but my car has no heating: could you drive and I do the next two?"),
        ("2024-11-13 21:18", "ada", "farid", "Of course. Leni says Nour's goggles are in our hall.", TOP))
    box.thread(
        "Cake rota for the summer fair",
        ("2026-05-18 19:50", "farid", "parents", "The 4b runs the cake stand on 20 June, 14 to 18. I made a list: please add your name and what you bake. So far we have eleven marble cakes planned and nothing else."),
        ("2026-05-18 20:25", "ada", "parents", "Lemon, from the Lisbon recipe. And I can stand there from 14 to 16.", TOP),
        ("2026-05-19 07:55", "teacher", "parents", "Bitte an die Kennzeichnung der Allergene denken, vor allem Nüsse. Danke für die Organisation, Herr Amani!", {"charset": "iso-8859-1", "how": "Q", "re": 0}))


def family(box):
    box.thread(
        "Omas achtzigster Geburtstag",
        ("2024-07-28 10:05", "ingrid", "ada emil", """Ihr Lieben,

am 19. Oktober wird Oma achtzig. Ich möchte im Gasthaus am See feiern, ungefähr 25 Leute. Könnt ihr euch um die Musik und um das Fotobuch kümmern? Bitte sagt mir bis Ende August, ob ihr übernachtet, damit ich Zimmer reservieren kann.

Eure Mama""", {"charset": "iso-8859-1", "how": "Q"}),
        ("2024-07-28 20:40", "emil", "ingrid ada", "Musik übernehme ich, ohne Akkordeon. Zwei Nächte für uns drei, bitte.", {"quote": "top"}),
        ("2024-07-29 08:11", "ada", "ingrid emil", """Das Fotobuch mache ich. Ich brauche von euch beiden alle Bilder vor 1990, am besten bis zum 15. September, sonst schafft es die Druckerei nicht.

Wir bleiben eine Nacht: Jonas, Leni und ich.""", {"re": 0}),
        ("2024-09-14 22:58", "emil", "ada", "64 scans in the shared folder, one day before the deadline. The one with the goat is from 1974. Nobody knows whose goat."),
        ("2024-10-20 18:30", "ingrid", "ada emil", """Ihr Lieben,

Oma hat das Fotobuch heute schon dreimal angesehen und bei der Ziege jedes Mal gelacht. Es war ein wunderschönes Fest. Danke!

Mama""", {"charset": "iso-8859-1", "how": "Q", "flags": "f"}))
    box.thread(
        "Papa's old telescope",
        ("2025-11-22 16:12", "emil", "ada", """I found Papa's telescope behind the freezer. The mirror looks like a pond. You coat mirrors for a living: can this be saved, or is it a plant pot now?

Diameter about 150 mm; there is a label, but I cannot read it. Photo follows when the light is better."""),
        ("2025-11-22 19:40", "ada", "emil", """It can be saved. Do not wipe it! Not with a cloth, not with your sleeve, not with love.

Strip, clean, new aluminium with a silica overcoat: half an hour in our small chamber. Bring it at Christmas and I will ask Daniel very nicely.""", TOP),
        ("2025-12-28 21:03", "emil", "ada", "Mirror is in your hall cupboard, wrapped in the blue towel. I did not wipe it, though I thought about it."),
        ("2026-02-15 18:20", "ada", "emil", "Coated on Friday: 89 percent at 550 nm, and Saturn will look like Saturn. Pick it up whenever you like.", TOP))
    box.add("2026-09-06 11:30", "ingrid", "ada", "Ostern 2027", """Liebe Ada,

nur damit es im Kalender steht: Ostersonntag ist 2027 schon am 28. März. Kommt ihr zu uns, oder sollen wir diesmal zu euch kommen? Ich muss es wegen der Katze früh wissen.

Mama""", charset="iso-8859-1", how="Q", flags="u")


def abroad(box):
    spanish = {"charset": "iso-8859-1", "encoding": "quoted-printable", "how": "Q"}
    box.thread(
        "¿Vienes a Valencia en otoño?",
        ("2024-08-18 22:15", "carmen", "ada", """Querida Ada:

¡Cuánto tiempo! Sigo en el mismo piso de Ruzafa, con las mismas plantas y una gata nueva que se llama Aceituna. ¿Por qué no venís en otoño? En octubre todavía se puede nadar y los niños tienen vacaciones.

La habitación de invitados está libre del 5 al 13 de octubre. Dime si os va bien y compro arroz.

Un abrazo muy fuerte,
Carmen""", spanish),
        ("2024-08-20 20:08", "ada", "carmen", """Querida Carmen:

¡Qué alegría! Mi español está oxidado, pero el arroz lo entiendo muy bien. Llegamos el sábado 5 y nos quedamos hasta el jueves 10, si no es demasiado. Leni ya está aprendiendo a decir "aceituna".

Un abrazo,
Ada""", {**spanish, "quote": "top"}),
        ("2024-08-21 14:30", "carmen", "ada", "¡Perfecto! Os recojo en el aeropuerto. Traed bañador y nada más, que aquí hay de todo. Besos, Carmen", spanish))
    japanese = {"charset": "iso-2022-jp"}
    box.thread(
        "春の山の家のお知らせ",
        ("2025-02-16 08:30", "yuki", "ada", """アダさん

お元気ですか。長野はまだ雪が深いですが、日が少しずつ長くなってきました。

四月の終わりから「山の家」を再開します。今年は庭の桜が五月の初めに咲きそうです。ご家族で遊びに来ませんか。部屋を一つ空けておきます。

レニちゃんに、犬のゴマが会いたがっています。

由紀""", japanese),
        ("2025-02-17 20:45", "ada", "yuki", """由紀さん

メールをありがとうございます。日本語で書くのは久しぶりです。

今年の五月はリスボンへ行く予定なので、残念ですが行けません。来年の桜の季節に行きたいです。ゴマによろしくお伝えください。

アダ""", japanese),
        ("2025-02-18 07:10", "yuki", "ada", """アダさん

日本語、とても上手ですよ。では来年、桜が咲くころに待っています。リスボンの写真を送ってください。

由紀""", japanese))
    box.add("2026-04-02 09:12", "yuki", "ada", "桜の開花予想", """アダさん

今年の開花予想が出ました。長野の桜は四月十二日ごろだそうです。駅まで車で迎えに行きますから、到着時間を教えてください。

由紀""", charset="utf-8", encoding="base64", flags="f")
    russian = {"charset": "koi8-r", "encoding": "quoted-printable"}
    box.thread(
        "Ключи и цветы",
        ("2025-07-01 19:20", "olga", "ada", """Дорогая Ада!

Мы уезжаем на дачу с 12 по 26 июля. Не могли бы вы поливать цветы и забирать почту? Ключи я оставлю у вас в четверг вечером. Кактус поливать не надо, он обижается.

Спасибо большое!
Ольга""", russian),
        ("2025-07-01 20:02", "ada", "olga", """Дорогая Ольга!

Конечно, с удовольствием. В четверг я дома после шести. Привезите, пожалуйста, немного вашего крыжовника.

Ада""", russian),
        ("2025-07-27 12:15", "olga", "ada", "Ада, цветы живы, спасибо! Варенье из крыжовника стоит у вашей двери. Осторожно, банка ещё тёплая.", {**russian, "encoding": "base64"}))


def small_matters(box):
    box.thread(
        "Your old bicycle",
        ("2023-09-11 12:30", "piet", "ada", "Is the blue bicycle from the choir notice board still for sale? I would offer 120 if the gears still have opinions of their own."),
        ("2023-09-11 17:45", "ada", "piet", "They do. 140 with the basket, 120 without. The basket has been to Denmark twice.", TOP),
        ("2023-09-12 08:20", "piet", "ada", "With basket then. Saturday at eleven, cash.", TOP))
    box.thread(
        "Documents for the 2025 tax return",
        ("2026-05-04 10:20", "tax", "ada", """Dear Ms Berg,

for your tax return of 2025 I still need three papers: the certificate of the craftsmen's work (bathroom), the statement of the choir about your donation, and the interest statement of Hansa Sparbank.

The return must be filed by 31 July 2026. I would need everything by 30 June at the latest, please.

Kind regards"""),
        ("2026-05-04 21:15", "ada", "tax", """Dear Ms Kröger,

I will send you all three papers by 15 June. The bathroom certificate is on its way from Ruben, the other two I have.

Ada Berg""", TOP),
        ("2026-06-22 09:05", "tax", "ada", """Dear Ms Berg,

a friendly reminder: the choir statement and the interest statement are here, the craftsmen's certificate is still missing. Could you send it before the 30th? Without it we lose a deduction of about 640 euros.""", {"flags": "f"}))
    box.add("2026-09-12 18:32", "landlord", "ada", "Reading the heating meters", """Dear Ms Berg,

the meters will be read on Tuesday in two weeks between 8 and 12. Will somebody be at home, or should our reader fetch a key from a neighbour? Please let us know a week before.

F. Holm
Elbhaus Management""", flags="u")
    box.thread(
        "From the attic",
        ("2026-07-12 15:44", "sam", "ada", """I cleared the attic and found a box with your name. Contents, in order of depth:

From 2019: one tent, smells of lake.
From 2021: candles, all the same.
From nobody knows when: a trumpet?

Shall I carry it up, or will you come down and be ashamed here?"""),
        ("2026-07-12 16:20", "ada", "sam", "The trumpet is Jonas's and must never be found. I am coming down.", TOP),
        ("2026-07-12 17:05", "sam", "ada", "Too late, Leni has found it. I apologise to the whole house."))
