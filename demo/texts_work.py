"""Ada's working life at Northwind Optics: Halcyon, suppliers, customers, people, machines."""


import parts

TOP, BELOW, OUTLOOK = {"quote": "top"}, {"quote": "below"}, {"quote": "outlook"}


def write(box):
    for chapter in (halcyon, supplier, hiring, outage, budget, complaint, abroad, meetings, odds_and_ends, weekly_status):
        chapter(box)


def halcyon(box):
    box.thread(
        "Project Halcyon: kick-off",
        ("2024-02-05 09:00", "priya", "ada daniel katrin", """Dear all,

Halcyon is approved. The goal in one sentence: a broadband anti-reflection coating, 420 to 980 nm, average reflectance below 0.25 percent, that survives salt fog for 240 hours.

Ada leads. Daniel owns the design, Katrin the materials. First samples by the end of May, pilot customer in the autumn.

Please read the attached charter and tear it apart before Thursday.

Priya""", {"flags": "f", "files": [("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "halcyon-charter.docx", parts.docx([
            "Project Halcyon: charter", "Goal: broadband anti-reflection coating, 420 to 980 nm, average reflectance below 0.25 percent.",
            "Durability: 240 hours of salt fog, tape test class 0, 500 abrasion strokes.",
            "Milestones: samples 31 May 2024, durability report 30 September 2024, pilot lot 29 November 2024.",
            "Budget: EUR 186,000, of which EUR 64,000 for materials.", "Risks: adhesion on fluorophosphate glass; single source for hafnia pellets."]))]}),
        ("2024-02-05 11:20", "daniel", "priya ada katrin", """Torn, lightly:

- 0.25 percent average is fine, but the charter says nothing about the maximum. One peak of 0.6 at 430 nm would pass. I suggest "nowhere above 0.5".
- Six layers will not do it. Eight, or ten if we want to sleep.""", TOP),
        ("2024-02-05 13:05", "katrin", "ada", "The charter assumes 64,000 for materials. Hafnia alone went up twice last year. I will ask Corvina for a fixed price before we promise anything.", {"cc": "priya daniel", "re": 0}),
        ("2024-02-06 08:41", "ada", "priya", """> "nowhere above 0.5"

Agreed, and I would write it for 0 to 15 degrees of incidence, or customers will measure at 30 and call.

> Eight, or ten if we want to sleep.

Start with eight. Ten layers is 40 minutes more per run and we have one chamber.

I will put both into version 2 of the charter by Thursday noon.""", {"cc": "daniel katrin", "re": 1}),
        ("2024-02-08 11:52", "ada", "priya daniel katrin", "Version 2 is in the project folder. Changes: maximum 0.5 percent, incidence 0 to 15 degrees, fluorophosphate named as a risk of its own.", {"re": 3}),
        ("2024-02-08 16:30", "priya", "ada", "Good. Signed. Go and make something invisible.", TOP))
    measured = "wavelength_nm,run_041,run_042,run_043\n" + "".join(
        f"{nm},{0.18 + ((nm * 7) % 23) / 100:.2f},{0.15 + ((nm * 5) % 19) / 100:.2f},{0.12 + ((nm * 3) % 17) / 100:.2f}\n" for nm in range(420, 981, 20))
    box.thread(
        "Halcyon: adhesion failure on sample 43",
        ("2024-06-12 16:48", "daniel", "ada", """Ada,

sample 43 failed the tape test. Not a corner: the whole stack came off like wet wallpaper. 41 and 42 are perfect. Reflectance of all three is attached, and 43 is the best of them, which makes it worse.

Same recipe, same glass, one day later.""", {"files": [("text/csv", "reflectance-run-041-043.csv", measured.encode())], "flags": "f"}),
        ("2024-06-12 17:20", "ada", "daniel", "Same glass, or same glass type? Which melt number is on the box?", TOP),
        ("2024-06-12 17:51", "daniel", "ada", "41 and 42: melt 7719. 43: melt 7802. I did not look, I should have.", TOP),
        ("2024-06-13 08:15", "ada", "daniel", """Then I bet on surface chemistry, not on us. Plan for today:

1. Contact angle on both melts, uncleaned and after plasma.
2. Two more from 7802, one with 60 s of plasma, one with 180 s.
3. Nobody touches the recipe.

I will ask Jingguang what changed in the polishing.""", {"cc": "priya"}),
        ("2024-06-14 15:02", "daniel", "ada", """Contact angle before plasma: 7719 gives 31 degrees, 7802 gives 58. There is something on it.

After 180 s both are below 10, and the new sample holds. After 60 s it still peels at the edge.""", {"cc": "priya"}),
        ("2024-06-14 15:40", "priya", "ada daniel", "Beautiful work. What does 180 seconds cost us per run, and do we want it as a rule or only for suspicious melts?", TOP),
        ("2024-06-17 09:03", "ada", "priya daniel", """Two minutes per run, so nothing. As a rule, for everything: I do not want a process that depends on somebody noticing.

The procedure is updated (CP-118, revision C). Supplier question is still open, I wrote to Wei on Friday.""", {"re": 5}))
    box.thread(
        "Halcyon durability: salt fog results",
        ("2024-09-25 10:30", "daniel", "ada priya", """240 hours are over. 12 of 12 samples pass, no haze, no pinholes above class 1. I left two in for fun and they are at 400 now.

The report is attached; please check table 3 before I sign it.""", {"files": [("application/pdf", "halcyon-durability-report.pdf", parts.pdf([
            "Halcyon durability report HR-2024-09", "Salt fog, 240 h, 35 C: 12 of 12 samples passed", "Abrasion, 500 strokes: 12 of 12 passed",
            "Tape test after fog: class 0 on all samples", "Table 3: shift of the spectral centre after fog, mean 0.8 nm, maximum 1.4 nm", "Author: D. Osei"]))]}),
        ("2024-09-25 14:11", "ada", "daniel", "Table 3: the maximum is 1.4 in the text and 1.9 in the raw data for sample 9. Typing error or a different fit?", TOP),
        ("2024-09-25 15:30", "daniel", "ada", "Typing error, and in my favour, how embarrassing. It is 1.9. Corrected version tonight.", TOP),
        ("2024-09-26 09:12", "priya", "ada daniel", "1.9 is still inside the limit of 3. Thank you both for finding it before the customer did."))
    box.thread(
        "Halcyon pilot lot for Aozora",
        ("2024-11-04 10:05", "ada", "priya katrin", """Aozora wants 60 pieces for their new reader instead of 40, and two weeks earlier. Possible, if we get the second set of fixtures before the 18th.

Katrin, can you push? Otherwise I will tell Hana that 40 come on the 22nd and 20 in December."""),
        ("2024-11-04 11:44", "katrin", "ada", "Fixtures are promised for the 15th. In writing, this time.", {"cc": "priya", "quote": "top"}),
        ("2024-11-15 16:59", "katrin", "ada", "They are here. I opened the box myself: all eight, and the right diameter."),
        ("2024-11-28 18:20", "ada", "priya daniel katrin", "All 60 left the building today, one day before the milestone. Average 0.21 percent over the lot. There is cake in the coating kitchen until it is gone.", {"flags": "f"}))
    box.thread(
        "Halcyon 2: shall we go to 1100 nm?",
        ("2026-03-09 09:40", "priya", "ada daniel", "Three customers asked this month whether Halcyon reaches 1064 nm. What would it take?"),
        ("2026-03-09 13:15", "daniel", "ada priya", "Twelve layers, or ten with a mixed oxide that we have never evaporated. Call it four months, mostly stress tests. It will curl thin substrates.", TOP),
        ("2026-03-10 08:20", "ada", "priya", """> What would it take?

Four months of Daniel, the small chamber two days a week, about 38,000 euros. And somebody has to tell production that there will be a second recipe with nearly the same name. I suggest we call it anything but Halcyon 2.""", {"cc": "daniel", "re": 0}),
        ("2026-03-10 17:02", "priya", "ada daniel", "Kingfisher, then. Write me two pages by the end of April."),
        ("2026-04-29 16:45", "ada", "priya", "Two pages on Kingfisher are attached, one day early. The number has become 41,500 because of the stress bench.",
         {"files": [("application/pdf", "kingfisher-proposal.pdf", parts.pdf(["Kingfisher: proposal", "Extension of the Halcyon coating to 1100 nm",
                                                                            "Duration: four months", "Cost: EUR 41,500 including the stress bench",
                                                                            "Risk: film stress on substrates thinner than 2 mm"]))]}))


def supplier(box):
    def offer(number, price, total, valid):
        return ("application/pdf", f"corvina-offer-{number}.pdf", parts.pdf([
            f"Corvina Materials: offer {number}", "To: Northwind Optics, Purchasing", "", "Hafnia pellets 99.95, 3-5 mm",
            "Quantity: 40 kg, four deliveries of 10 kg", f"Price per kg: EUR {price}", f"Total: EUR {total}", f"Valid until {valid}"]))

    box.thread(
        "Offer for hafnia pellets, 40 kg",
        ("2024-02-19 10:10", "elena", "katrin", """Dear Katrin,

thank you for your enquiry. For 40 kg of hafnia pellets, 99.95, in four deliveries, we can offer EUR 415 per kg, 16,600 in total. Offer C-2291 is attached and valid until 15 March.

Kind regards
Elena""", {"cc": "ada", "files": [offer("C-2291", "415.00", "16,600.00", "15 March 2024")]}),
        ("2024-02-19 15:32", "katrin", "elena", """Dear Elena,

thank you. Our last order was 388 per kg, eleven months ago and for a quarter of the amount. For 40 kg I expected a number that begins with a three.

Katrin""", {"cc": "ada", "quote": "outlook"}),
        ("2024-03-18 09:25", "elena", "katrin", """Dear Katrin,

I spoke with production. Unfortunately the raw material has gone up again since our offer of February, which expired on Friday. The new price is EUR 442 per kg, 17,680 in total (offer C-2340).

I can do 429 if you commit to the whole quantity this month.""", {"cc": "ada", "files": [offer("C-2340", "442.00", "17,680.00", "31 March 2024")], "flags": "f"}),
        ("2024-03-18 11:02", "katrin", "ada", "Internal: 415 in February, 442 now, 429 with a gun on the table. Can you live with the pellets from Polder Oxides? They offer 396 but sieve coarser.", {"prefix": "Fwd"}),
        ("2024-03-18 13:40", "ada", "katrin", """Coarser is fine for evaporation, splitting is not. Let me try one kilo of Polder before we sign anything.

Give me until 27 March. If they spit, we take Corvina at 429.""", TOP),
        ("2024-03-26 16:10", "ada", "katrin", "Polder does not spit: 14 runs, two particles, both from me opening the door too early. I would take 30 kg from Polder and 10 from Corvina, so that we stay friends with both."),
        ("2024-03-27 10:30", "katrin", "elena", """Dear Elena,

we split the order: 10 kg with you, for delivery in May. At this quantity I can accept 429. A price that changes by 6 percent in four weeks makes planning hard; next year I would like a price that holds for two quarters.

Katrin""", {"cc": "ada", "re": 2}),
        ("2024-03-27 14:55", "elena", "katrin", "Dear Katrin, accepted: 10 kg at 429. And you are right, I will propose a two-quarter price for 2025.", {"cc": "ada", "quote": "outlook"}))
    box.thread(
        "Polder Oxides: first order and a question",
        ("2024-04-02 09:50", "joost", "ada katrin", """Good morning,

your order of 30 kg is confirmed at 396. First 10 kg leave Groningen on 16 April.

One question from our lab: would you share particle counts from your runs? Nobody ever tells us what happens after the box is opened."""),
        ("2024-04-02 11:15", "ada", "joost", "Gladly, without recipes. I will send a table after the tenth run.", {"cc": "katrin", "quote": "top"}),
        ("2024-06-03 10:05", "joost", "ada", "Did the tenth run happen? We are curious people.", {"flags": "f"}))


def hiring(box):
    box.thread(
        "Opening: thin film engineer",
        ("2025-01-13 10:00", "sofia", "ada priya", """Hi both,

the position is online since this morning. Ada, could you be the technical interviewer, and tell me what you want to see in the first round?

Sofia"""),
        ("2025-01-13 13:28", "ada", "sofia", """Hi Sofia,

gladly. In the first round I want three things: have they ever vented a chamber too early, what did they learn, do they tell it with joy. The rest can be taught.

No brain teasers, please.

Ada""", {"cc": "priya"}),
        ("2025-02-10 09:14", "sofia", "ada priya", "41 applications, 6 worth your time, 2 marked with a star: Noor Haddad and Felix Brandl. Interviews on 18 and 19 February?"),
        ("2025-02-10 10:02", "ada", "sofia", "18th works all day, 19th only after 13:00. I would like Daniel in both.", {"cc": "priya daniel", "quote": "top"}),
        ("2025-02-20 17:20", "ada", "sofia priya", """My notes, in short:

Noor: built her own crystal monitor from scrap, vented too early, laughed. Asked better questions than I did. Yes.
Felix: solid, careful, wants to lead people within two years, which we cannot offer. Would hire if Noor declines.

Daniel agrees on both."""),
        ("2025-02-21 08:45", "priya", "ada sofia", "Noor it is. Sofia, offer today please, at the upper end.", TOP))
    box.thread(
        "Your application as thin film engineer",
        ("2025-02-21 14:30", "sofia", "noor", """Dear Noor,

we would love to have you in the coating team. The offer is attached; could you give us your answer by 3 March? If you have questions about the work itself, Ada (in copy) is the best person to ask.""", {"cc": "ada"}),
        ("2025-02-24 20:17", "noor", "ada", """Dear Ada,

thank you, I am very happy. One honest question: how much of the week is chamber time, and how much is spreadsheets?

Noor"""),
        ("2025-02-25 08:30", "ada", "noor", "Honest answer: three days chamber, one day spreadsheets, one day looking for the torque wrench. Come and change the ratio.", TOP),
        ("2025-02-27 19:05", "noor", "sofia", "I accept with pleasure. 1 May would be possible, my torque wrench comes with me.", {"cc": "ada", "re": 0, "flags": "f"}))
    box.thread(
        "Interview, and what happens next",
        ("2025-03-05 18:10", "felix", "ada", "Dear Ms Berg, thank you for the open conversation in February. May I ask what tipped the scales? I would like to learn from it."),
        ("2025-03-06 09:20", "ada", "felix", """Dear Felix,

nothing you did wrong: you want to lead a team soon, and here you would have waited for years. In a larger house you will not have to. If it helps I will gladly be a reference.

Ada Berg""", TOP),
        ("2025-03-06 12:44", "felix", "ada", "That is more than I expected. Thank you, I may come back to the reference."))


def outage(box):
    box.thread(
        "Chamber control is down",
        ("2024-10-08 06:52", "marek", "everyone", "Chamber control and the recipe server are unreachable since 06:31. Vacuum is held by the interlock, nothing is lost. Looking into it.", {"flags": "f"}),
        ("2024-10-08 07:30", "marek", "everyone", "Cause: the volume of the recipe server is full. Deleting is the last thing I want to do before knowing what fills it. Next report at 08:15.", BELOW),
        ("2024-10-08 07:41", "ada", "marek", "We have a Halcyon lot half way through layer 5 in chamber 2. How long may it stand at pressure? If it is more than three hours, I would rather abort now and keep the glass.", {"re": 1}),
        ("2024-10-08 08:14", "marek", "everyone", "It was the debug log of the new shutter driver: 212 GB in nine days. Moved to another disk, services restarted at 08:09, all three chambers answer.", {"re": 1}),
        ("2024-10-08 08:20", "ada", "marek coating", "Chamber 2 resumed at layer 5. The lot is marked as suspect, do not ship before I have measured it.", TOP))
    box.thread(
        "Post-mortem: recipe server outage of 8 October",
        ("2024-10-10 15:00", "marek", "ada priya daniel", """Timeline, all local:
  2024-09-29  shutter driver 3.1 installed, debug logging left on
  2024-10-07  disk at 91 percent, warning sent to a mailbox nobody reads
  2024-10-08  06:31 disk full, recipe server stops, chamber control follows
  2024-10-08  08:09 service restored (98 minutes)

What went well: interlocks, nobody deleted anything in a panic.
What went badly: the warning had no reader, the installation had no checklist.

Actions:
  1. Warnings go to the on-call phone (Marek, done)
  2. Log rotation for every service (Marek, by 31 October)
  3. Checklist for driver installation (Ada, by 15 November)
  4. Chamber control must survive without the recipe server (vendor, asked)"""),
        ("2024-10-10 16:35", "priya", "marek ada daniel", "Thank you for a post-mortem without a culprit. Ada, is 15 November realistic next to the pilot lot?", TOP),
        ("2024-10-11 08:02", "ada", "priya", "It is a one-page checklist, I will have it by 15 November. The lot in chamber 2 measured fine, by the way: the pause is visible as 0.3 nm in layer 5 and nowhere else.", {"cc": "marek daniel", "quote": "top"}),
        ("2024-11-15 17:48", "ada", "marek priya", "Checklist CL-07 is in the folder. Point 1: is debug logging off? Point 9: is it really off?"))


def budget(box):
    rows = "item,2024_actual,2025_plan\nmaterials,71240,78000\nmaintenance,33810,36000\nchamber 2 pump,0,48500\ntraining,4100,6000\ntravel,7320,8000\n"
    box.thread(
        "Budget 2025 thin films: first draft by 27 September",
        ("2024-09-09 09:00", "lukas", "ada", "Hello Ada, it is that time of the year. May I have your first draft by Friday 27 September? Same template, sums in euros, no rounding to please me."),
        ("2024-09-26 18:12", "ada", "lukas", """Hello Lukas,

attached. The one large number is the pump for chamber 2: 48,500. It is eleven years old and I can hear it from my desk.

Ada""", {"files": [("text/csv", "budget-2025-thin-films.csv", rows.encode())]}),
        ("2024-09-30 10:40", "lukas", "ada priya", "The pump alone is 27 percent of your plan. Can it wait until 2026, or be leased?", TOP),
        ("2024-09-30 12:05", "ada", "lukas priya", """> Can it wait until 2026

If it fails in a run we lose a lot (about 9,000) and four weeks of chamber 2 (about 60,000). It failed twice in the neighbours' chamber at that age.

> or be leased?

The vendor leases at 1,150 a month over four years, that is 55,200. I would buy.""", {"re": 2}),
        ("2024-10-14 11:30", "lukas", "ada priya", "Bought, then. Approved: 176,500 in total, the pump in the first quarter. Travel cut to 6,000, sorry."),
        ("2024-10-14 13:02", "ada", "lukas", "I will walk. Thank you!", TOP))
    box.thread(
        "Budget 2027: please send three numbers",
        ("2026-09-07 09:05", "lukas", "ada", "Hello Ada, for the first round I only need materials, maintenance and anything above 20,000. In two weeks, please.", {"flags": "f"}),
        ("2026-09-08 12:18", "ada", "lukas", "You will have them by then. Materials depends on whether Kingfisher goes on; Priya decides the Monday before."),
        ("2026-09-08 13:00", "lukas", "ada", "Then send two versions, I like surprises in pairs.", TOP))


def complaint(box):
    box.thread(
        "Complaint: haze on order 5512",
        ("2025-04-07 08:18", "ben", "ada", """Dear Ms Berg,

we received 24 corrector plates (order 5512) on Thursday. Nine of them show a milky haze in the outer 5 mm, visible under a slit lamp. We have a telescope to deliver on 9 May and I am, to be frank, not amused.

Please tell me by tomorrow what you intend to do.""", {"flags": "f"}),
        ("2025-04-07 10:02", "ada", "ben", """Dear Ben,

I am sorry; that must not leave our house. Today I will do three things: check the records of the lot, look at our retained pieces under a slit lamp, and keep chamber 1 free from Thursday on.

Could you send the serial numbers of the nine, and one piece by courier at our cost?

Ada Berg""", TOP),
        ("2025-04-07 11:40", "ben", "ada", "Serial numbers: 5512-03, -04, -07, -08, -11, -12, -15, -16, -19. Courier collects at two.", TOP),
        ("2025-04-07 15:26", "daniel", "ada", "All nine sat in the outer ring. Fixture 4, new since March, touches the glass 1 mm further in and shades the plasma. It is ours, not the transport.", {"re": 2}),
        ("2025-04-08 09:05", "ada", "ben", """Dear Ben,

the cause is found: a new fixture shaded the edge during cleaning. The fault is ours. What we offer:

1. Nine new plates, coated on Thursday and Friday, with you on Tuesday 15 April.
2. We inspect the other 15 from our records; they were in the inner ring and are not affected.
3. No charge for the nine, and our report in writing.

Does the 15th save your telescope?

Ada""", {"re": 2, "cc": "priya"}),
        ("2025-04-08 09:47", "ben", "ada", "It does. Thank you for the straight answer, I had prepared for a long quarrel.", {"cc": "priya", "quote": "top"}),
        ("2025-04-15 13:33", "ben", "ada", "Nine plates, no haze, under every lamp I own. The case is closed as far as we are concerned, and the telescope ships on time."),
        ("2025-04-15 15:10", "ada", "ben", "That is the best mail of the week. The written report follows on Thursday; fixture 4 hangs on my wall as a warning.", {"cc": "priya daniel", "quote": "top"}))


def abroad(box):
    japanese = {"charset": "iso-2022-jp"}
    box.thread(
        "反射防止膜サンプルの件",
        ("2024-10-21 10:20", "hana", "ada", """ノースウィンド・オプティクス
ベルグ様

いつもお世話になっております。青空計器の佐藤です。

先日お送りいただいた反射防止膜のサンプルを測定いたしました。平均反射率は0.22パーセントで、仕様を満たしております。塩水噴霧試験の結果も問題ございませんでした。

つきましては、量産試作として40枚をお願いしたく存じます。納期は十一月二十二日を希望しております。

よろしくお願いいたします。
佐藤花""", japanese),
        ("2024-10-22 09:30", "ada", "hana", """佐藤様

お世話になっております。測定結果をありがとうございます。安心いたしました。

40枚、十一月二十二日の納期で承ります。見積書は明日お送りします。

ベルグ""", japanese),
        ("2024-11-01 11:05", "hana", "ada", """ベルグ様

お世話になっております。見積書を受け取りました。社内で検討した結果、数量を60枚に増やしたいと思います。可能でしょうか。ご返事をお待ちしております。

佐藤""", japanese))
    chinese = {"charset": "gb18030", "encoding": "base64"}
    box.thread(
        "关于7802批次玻璃的抛光工艺",
        ("2024-06-14 16:30", "ada", "wei", """Dear Wei,

melt 7802 shows a contact angle of 58 degrees before cleaning, 7719 only 31. Did anything change in polishing or washing between the two? We lost a coated sample to it.

Best regards
Ada""", {"charset": "utf-8", "encoding": "base64"}),
        ("2024-06-18 09:15", "wei", "ada", """贝格女士：

您好！关于您提到的7802批次，我们已经检查了生产记录。从五月份开始，抛光后的清洗剂换成了新的供应商，可能有少量残留在玻璃表面。

我们已经恢复使用原来的清洗剂，下一批玻璃不会再有这个问题。给您带来的不便，我们深表歉意。

此致
敬礼
陈伟
晶光玻璃有限公司""", chinese),
        ("2024-06-18 10:20", "ada", "wei", "谢谢您的快速回复！请把新的检验报告发给我们。\n\nDear Wei, thank you. So it was the washing agent. Please mark the box when the change is in, then we will measure the first five pieces.", {"charset": "utf-8", "encoding": "quoted-printable"}),
        ("2024-07-22 08:40", "wei", "ada", """贝格女士：

新一批玻璃（批号7840）今天已经发货，检验报告见附件。接触角平均为三十度，请您确认。

陈伟""", {**chinese, "files": [("text/csv", "melt-7840-contact-angle.csv", b"piece,angle_degrees\n1,30.2\n2,29.6\n3,30.8\n4,29.9\n5,30.1\n")]}))
    russian = {"charset": "koi8-r", "encoding": "base64"}
    box.thread(
        "Ремонт насоса",
        ("2025-10-06 11:35", "dmitri", "ada", """Уважаемая госпожа Берг!

Мы разобрали ваш турбомолекулярный насос. Подшипники изношены, ротор в порядке. Ремонт займёт около трёх недель и будет стоить 3 200 евро. Новый насос стоит 9 800 евро.

Пожалуйста, сообщите, следует ли начинать ремонт.

С уважением,
Дмитрий Волков""", russian),
        ("2025-10-06 14:20", "ada", "dmitri", "Добрый день! Пожалуйста, начинайте ремонт. Заказ номер 4471.\n\nС уважением,\nАда Берг", russian),
        ("2025-10-28 10:05", "dmitri", "ada", "Уважаемая госпожа Берг! Насос готов и прошёл испытания. Отправляем его сегодня. Гарантия двенадцать месяцев.", {"charset": "koi8-r", "encoding": "8bit"}))


def written(when):
    return when.replace("-", "").replace(" ", "T").replace(":", "") + "00Z"


def invitation(box, when, sender, to, event, text, flags=""):
    """`event` is uid, start, end, summary, location."""
    uid, start, end, summary, location = event
    organizer = (box.person(sender)["name"], box.person(sender)["address"])
    guests = [(box.person(key)["name"], box.person(key)["address"]) for key in to.split()]
    shown = parts.calendar("REQUEST", uid, (written(when), start, end), summary, organizer, guests, location)
    body = parts.multipart("alternative", [
        parts.text_part(text), parts.text_part(shown, "utf-8", "8bit", "calendar", "; method=REQUEST")], uid)
    return box.add(when, sender, to, f"Invitation: {summary}", text, body=body, bare=True, flags=flags)


def answer(box, when, asked, to, event, word):
    uid, start, end, summary, _ = event
    organizer = (box.person(to)["name"], box.person(to)["address"])
    me = (box.person("ada")["name"], box.person("ada")["address"])
    shown = parts.calendar("REPLY", uid, (written(when), start, end), summary, organizer, [me], partstat=word.upper())
    text = f"Ada Berg has {word} this invitation: {summary}"
    body = parts.multipart("alternative", [
        parts.text_part(text), parts.text_part(shown, "utf-8", "8bit", "calendar", "; method=REPLY")], uid + "reply")
    box.add(when, "ada", to, f"{word.capitalize()}: {summary}", text, body=body, parent=asked, bare=True)


def meetings(box):
    review = ("halcyon-review-1@northwind-optics.example", "20240308T130000Z", "20240308T140000Z", "Halcyon design review", "Room Fresnel")
    asked = invitation(box, "2024-02-12 08:30", "priya", "ada daniel katrin", review,
                       "Halcyon design review, Friday 8 March 2024, 14:00 to 15:00, room Fresnel. Please bring the layer plan.")
    answer(box, "2024-02-12 09:10", asked, "priya", review, "accepted")
    party = ("summer-party@northwind-optics.example", "20250530T150000Z", "20250530T200000Z", "Summer party in the yard", "Yard, behind goods-in")
    asked = invitation(box, "2025-05-20 10:00", "sofia", "ada", party,
                       "Friday 30 May 2025 from 17:00. Grill, music, and the mini-golf of the measuring room.")
    answer(box, "2025-05-20 10:21", asked, "sofia", party, "declined")
    # These two overlap: 14:00 to 15:00 and 14:30 to 16:30 on the same Monday.
    decision = ("kingfisher-decision@northwind-optics.example", "20260921T120000Z", "20260921T130000Z", "Kingfisher: go or no go", "Room Fresnel")
    invitation(box, "2026-09-10 09:20", "priya", "ada daniel lukas", decision,
               "Monday, 14:00 to 15:00, room Fresnel. We decide whether Kingfisher goes on. Please read the two pages again.", "f")
    visit = ("polder-visit@northwind-optics.example", "20260921T123000Z", "20260921T143000Z", "Visit of Polder Oxides", "Goods-in, then room Abbe")
    invitation(box, "2026-09-11 16:05", "katrin", "ada joost", visit,
               "Monday, 14:30 to 16:30. Joost shows the new pellets and wants to see a run in chamber 3.", "u")
    box.add("2026-09-14 08:12", "joost", "ada", "My visit on Monday", """Dear Ada,

I booked the train for Monday, arriving in Hamburg at 13:48, so 14:30 in your office works well. Will you be able to show me a run yourself? I would rather hear it from you than from a poster.

Joost""", flags="u")


def odds_and_ends(box):
    box.thread(
        "The coffee machine in building 2",
        ("2025-11-10 08:55", "daniel", "everyone", "The coffee machine in building 2 shows error E17 and a picture of a sad bean. Does anybody speak bean?"),
        ("2025-11-10 09:04", "marek", "everyone", "E17 is descaling. It has asked politely for six weeks. I have a log.", TOP),
        ("2025-11-10 09:12", "ada", "everyone", "As the author of checklist CL-07 I offer CL-08: is there water, is there acid, are they in the right order?", {"re": 1}),
        ("2025-11-10 11:30", "daniel", "everyone", "Descaled. It works. The bean smiles. Thank you for your concern and the 31 replies."))
    box.thread(
        "Talk at the Coating Days",
        ("2025-06-16 14:00", "priya", "ada", "The organisers of the Coating Days in Jena ask for a talk about salt fog. 25 minutes, 23 October. Would you?"),
        ("2025-06-16 15:20", "ada", "priya", "Yes. Title: \"Twelve of twelve: what we learned from the samples that did not fail\". Abstract by 31 July.", TOP),
        ("2025-07-30 17:33", "ada", "priya", "Abstract attached, 240 words, no adjectives.", {"files": [(
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "abstract-coating-days.docx", parts.docx([
                "Twelve of twelve: what we learned from the samples that did not fail", "A. Berg, D. Osei, Northwind Optics",
                "We report salt fog tests of an eight-layer broadband coating. All samples passed 240 hours.",
                "The talk shows which steps of cleaning and plasma treatment this result depends on."]))]}),
        ("2025-10-24 09:10", "priya", "ada", "I heard the room was full and somebody asked about fixture 4. Well done, and thank you for not showing the picture."))
    box.thread(
        "Patent: plasma dose by contact angle",
        ("2024-12-02 11:00", "lars", "ada", """Dear Ms Berg,

I have read your note on setting the plasma time by the measured contact angle. I see a chance, if nobody has published it. Two points:

1. Who contributed? Every inventor must be named.
2. Have you shown it to anybody outside? A talk, a customer, a poster?"""),
        ("2024-12-02 16:42", "ada", "lars", """> 1. Who contributed?

Daniel Osei and I, in equal parts.

> 2. Have you shown it to anybody outside?

No. The procedure CP-118 is internal and Jingguang only knows the numbers of their own glass."""),
        ("2025-01-20 10:15", "lars", "ada", "The search found one paper from 1998 that comes close, without feedback. I suggest we file before the end of February. May I have your drawings by 7 February?", {"cc": "daniel"}),
        ("2025-02-06 18:50", "ada", "lars", "Drawings attached as PDF. Figure 2 is Daniel's and better than mine.", {"cc": "daniel", "files": [(
            "application/pdf", "figures-plasma-dose.pdf", parts.pdf(["Figures: plasma dose by contact angle", "Figure 1: chamber with goniometer", "Figure 2: control loop (D. Osei)"]))]}))
    box.thread(
        "Safety walk, chamber hall",
        ("2026-02-18 13:30", "marek", "ada daniel", "Safety walk on Tuesday: two findings. The nitrogen sensor in bay 3 was last tested in January 2025, and somebody uses the emergency shower as a coat hook."),
        ("2026-02-18 14:02", "ada", "marek", "The sensor is mine: tested by 6 March. The coat is Daniel's.", {"cc": "daniel", "quote": "top"}),
        ("2026-02-18 14:09", "daniel", "ada marek", "The coat has been interviewed and moved.", TOP),
        ("2026-03-05 10:44", "ada", "marek", "Sensor in bay 3 tested today, 19.5 percent alarm works, certificate in the folder."))
    box.thread(
        "Question about the Halcyon data sheet",
        ("2026-09-02 15:40", "ben", "ada", """Dear Ada,

a quick one: does the 0.25 percent in the Halcyon data sheet hold at minus 20 degrees as well? We have an observatory in the north that asks, and I would like to answer them this month.

Ben""", {"flags": "f"}))
    box.add("2025-08-04 09:01", "noor-work", "ada", "Out of office: vacation until 18 August", """Thank you for your message. I am on vacation until Monday 18 August and read no mail; for runs in chamber 1 please ask Daniel Osei.

Noor Haddad""", extra=["Auto-Submitted: auto-replied", "Precedence: bulk", "X-Auto-Response-Suppress: All"])
    original = box.compose("2026-01-19 08:10", "ben", "ada", "Praise, for once", "Dear Ada,\n\nthe telescope with your plates has seen first light. The observer wrote: 'as if somebody had removed the glass'. I thought your team should read that.\n\nBen", bare=True)
    box.add("2026-01-19 09:00", "ada", "coating", "Fwd: Praise, for once", "For the wall, beside fixture 4. The original is attached.\n\nAda",
            files=[parts.file_part("message/rfc822", "praise.eml", original.as_bytes())])


STATUS = (
    ("2023-09-15", "ada", "Chamber 1: 14 runs, none lost. Chamber 2: pump is loud but inside limits.\nOpen: quartz monitor drifts by 2 percent, replacement ordered.\nNext: clean the small chamber before it cleans itself."),
    ("2023-10-13", "daniel", "Design work for the filter family is finished. Chamber 3 had its yearly service.\nOpen: we are out of gold-plated crystals on 20 October.\nNext: compare two cleaning agents."),
    ("2023-11-17", "ada", "11 runs, one lost: shutter stuck open for 4 s. The cause was a loose screw, literally.\nOpen: spare shutters.\nNext: write the proposal for the broadband coating."),
    ("2023-12-15", "ada", "Proposal for the broadband coating handed to Priya, 14 pages, working title Halcyon.\nOpen: everything. Next: holidays. The chambers are parked under nitrogen until 8 January."),
    ("2024-01-19", "daniel", "Chambers came back without a leak. First simulation for Halcyon: eight layers look possible.\nOpen: optical constants of hafnia below 450 nm."),
    ("2024-02-16", "ada", "Halcyon has a charter and a room. Layer plan version 1 from Daniel.\nOpen: price of hafnia. Next: test runs on plain BK glass, nothing expensive."),
    ("2024-03-22", "ada", "Polder pellets: 9 of 14 runs done, no spitting. Halcyon test run 12 reached 0.41 percent average.\nNext: finish the pellets test by 27 March."),
    ("2024-04-19", "daniel", "Run 24: 0.31 percent. The design likes cold substrates, the glue on the fixtures does not.\nOpen: better fixtures. Ada is away next week (kitchen)."),
    ("2024-05-24", "ada", "Run 36: 0.24 percent, first time below the limit! Samples will be ready by 31 May as promised.\nOpen: tape test, salt fog."),
    ("2024-06-21", "ada", "Adhesion problem understood: washing agent at the glass supplier. 180 s of plasma for everything (CP-118 rev C).\nNext: start salt fog on 26 August with 12 samples."),
    ("2024-07-19", "daniel", "Quiet week. 16 runs, nothing lost, two of them in the dark because of the power cut.\nOpen: emergency light in bay 2."),
    ("2024-08-30", "ada", "Salt fog started with 12 samples. It smells like Heligoland in the cellar.\nOpen: budget 2025 draft by 27 September."),
    ("2024-10-11", "daniel", "Outage on Tuesday, 98 minutes, no glass lost. Durability report corrected and signed.\nNext: fixtures for the Aozora pilot lot."),
    ("2024-11-22", "ada", "42 of 60 pilot pieces coated. Yield 96 percent: one chipped, one dropped, one mystery.\nNext: ship by 29 November."),
    ("2025-01-17", "daniel", "New pump for chamber 2 arrived, 310 kg, one door too small. The door lost.\nNext: base pressure test."),
    ("2025-02-14", "ada", "Chamber 2 reaches base pressure in 38 minutes instead of 71. I can no longer hear it from my desk and miss it a little.\nOpen: interviews on 18 and 19 February."),
    ("2025-04-11", "ada", "Complaint 5512: cause found (fixture 4), nine plates recoated. All fixtures are now measured before use.\nNext: written report for Tidewater."),
    ("2025-05-09", "daniel", "Noor has started and has already found the torque wrench.\nOpen: training plan. Next: run 400 of chamber 1, with cake."),
    ("2025-07-11", "noor-work", "My first status: 18 runs, one lost, and it was me: vented 40 s too early. I told everybody, as agreed.\nNext: crystal monitor with an acoustic warning."),
    ("2025-10-10", "ada", "Turbo pump of the small chamber is away for repair until the end of October.\nOpen: talk in Jena on the 23rd, slides at 60 percent."),
    ("2025-12-12", "noor-work", "Acoustic warning is installed in all three chambers. It plays the first bar of a choir piece, ask Ada.\nNext: yearly service on 8 January."),
    ("2026-02-13", "daniel", "One private mirror in the small chamber on Friday (approved, paid in biscuits). 17 regular runs, none lost.\nNext: safety walk on Tuesday."),
    ("2026-05-15", "ada", "Kingfisher run 3: 0.34 percent up to 1080 nm, but 1 mm substrates curl like crisps.\nNext: slower deposition, stress bench from 1 June."),
    ("2026-07-17", "noor-work", "Stress bench works. Slower deposition halves the curl; run 11 is flat to 2 fringes.\nOpen: run time is now 4 h 10."),
    ("2026-09-11", "ada", "Kingfisher run 19: 0.26 percent, flat to 1 fringe, 3 h 25. I think it is a product.\nNext: the decision on Monday, then budget numbers for Lukas."),
)


def weekly_status(box):
    for number, (day, sender, text) in enumerate(STATUS, 1):
        to = "coating" if sender == "ada" else "coating ada"
        box.add(f"{day} 15:{10 + len(text) % 45}", sender, to, f"Weekly status thin films, no. {number}", text, bare=True, cc="priya")
