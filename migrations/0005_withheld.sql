-- Withheld messages are few: an assistant's connection counts them and leaves them out of every search.
CREATE INDEX messages_withheld_by_date ON messages (epoch) WHERE withheld = 1;
